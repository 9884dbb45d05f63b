import { SvcError } from '@svc/errors'
import { isPiiAction, type PiiAction } from './action.ts'

/** The actions of one detector (§2.11). */
export interface PolicySettings {
  /** Action of groups without an entry. @default 'mask' */
  readonly defaultAction?: PiiAction | undefined
  /** Actions by group, compared exactly; override the default. */
  readonly entityActions?: Readonly<Record<string, PiiAction>> | undefined
}

/** The action of a group. */
export type Policy = (group: string) => PiiAction

/**
 * Creates the policy of a detector.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for an action other than `mask`, `block`, `allow`
 */
export function createPolicy({ defaultAction = 'mask', entityActions = {} }: PolicySettings): Policy {
  const actions = new Map(Object.entries(entityActions))
  checkAction('default_action', defaultAction)
  for (const [group, action] of actions) checkAction(`entity_actions[${JSON.stringify(group)}]`, action)
  return (group) => actions.get(group) ?? defaultAction
}

function checkAction(key: string, action: unknown): void {
  if (isPiiAction(action)) return
  throw new SvcError('invalid_request', `${key}: ${JSON.stringify(action)} is none of mask, block, allow`, {
    code: 'pii_config',
  })
}
