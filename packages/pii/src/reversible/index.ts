/**
 * Reversible redaction: tokens in the request, values back in the reply.
 *
 * @module
 */
export { createLaneRestorer, type LaneKind, type LaneRestorer, restoreText } from './lane-restorer.ts'
export type { ReplyFormat } from './reply-lanes.ts'
export { restoreJsonBody } from './restore-json.ts'
export { createSseRestorer, type SseRestorer, type SseRestorerOptions } from './sse-restorer.ts'
export { createTokenMap, type TokenEntry, type TokenKind, type TokenMap, type TokenMapOptions } from './token-map.ts'
