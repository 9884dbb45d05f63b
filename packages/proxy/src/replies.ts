/**
 * Reads replies of upstreams: members of unknown JSON, events of streams, bodies up to a limit.
 *
 * @module
 */
export {
  type ArgumentSource,
  type AssignedPiece,
  type CallAssembler,
  createCallAssembler,
  readWholeCalls,
  type WholeCall,
} from './call-assembler.ts'
export {
  dropAbsent,
  type Fields,
  isFields,
  toCount,
  toFields,
  toList,
  toNumber,
  toText,
  tryParseJson,
} from './fields.ts'
export { quoteUpstream } from './quote.ts'
export { readSseEvents } from './sse-events.ts'
export { createArgumentSource } from './translate/argument-source.ts'
export { findChunkUsage } from './translate/usage.ts'
export { findHeader, readAtMost, readRetryAfter, readWhole } from './upstream-error.ts'
