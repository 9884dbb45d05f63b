/**
 * Reads replies of upstreams: members of unknown JSON, events of streams, bodies up to a limit.
 *
 * @module
 */
export {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  textOf,
  tryParseJson,
  withoutNothing,
} from './fields.ts'
export { quoteUpstream } from './quote.ts'
export { readSseEvents } from './sse-events.ts'
export { headerOf, readAtMost, readWhole, retryAfterOf } from './upstream-error.ts'
