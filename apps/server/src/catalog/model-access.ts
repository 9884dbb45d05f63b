import type { Principal } from '@svc/auth'
import { decideModelAccess } from '@svc/auth/access'
import type { ModelConfig } from './model-config.ts'

/** Whether a caller may use a model of a list. An alias is allowed by its own name and by that of its model. */
export function mayUse(
  principal: Principal,
  { name, alias }: Pick<ModelConfig, 'name'> & Partial<Pick<ModelConfig, 'alias'>>,
): boolean {
  return decideModelAccess(principal, alias ?? name, alias === undefined ? [] : [name]) === undefined
}
