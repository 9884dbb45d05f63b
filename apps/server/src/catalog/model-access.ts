import { decideModelAccess } from '@svc/auth/access'
import type { Principal } from '../principal.ts'
import type { ModelConfig } from './model-config.ts'

/** Whether a caller may use a model of a list. An alias counts as the model that it names. */
export function mayUse(
  principal: Principal,
  { name, alias }: Pick<ModelConfig, 'name'> & Partial<Pick<ModelConfig, 'alias'>>,
): boolean {
  return decideModelAccess(principal, alias ?? name) === undefined
}
