/**
 * Reads replies of upstreams: members of unknown JSON, events of streams, bodies up to a limit.
 *
 * @module
 */
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
export { findHeader, readAtMost, readRetryAfter, readWhole } from './upstream-error.ts'
