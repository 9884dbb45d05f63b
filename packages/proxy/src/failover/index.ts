/**
 * Failover groups: when one target fails, another takes over.
 *
 * @module
 */
export {
  type Candidate,
  type Chain,
  type ChainOptions,
  createChain,
  type DueProbe,
  type FailoverEvent,
  type TargetState,
  type TargetStatus,
} from './chain.ts'
export { callWithFailover, type FailoverRequest, streamWithFailover } from './run.ts'
export { type FailoverSettings, type FailoverTarget, readFailoverSettings } from './settings.ts'
export { TARGET_FULL, TARGET_SKIPPED, type Verdict, verdictOf } from './verdict.ts'
