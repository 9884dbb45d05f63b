/**
 * Failover groups: when one target fails, another takes over.
 *
 * @module
 */
export {
  type Candidate,
  createFailoverGroup,
  type FailoverEvent,
  type FailoverGroup,
  type FailoverGroupOptions,
} from './failover-group.ts'
export type { DueProbe, TargetState, TargetStatus } from './failover-targets.ts'
export { callWithFailover, type FailoverRequest, streamWithFailover } from './run.ts'
export { type FailoverSettings, type FailoverTarget, readFailoverSettings } from './settings.ts'
export { TARGET_FULL, TARGET_SKIPPED, toVerdict, type Verdict } from './verdict.ts'
