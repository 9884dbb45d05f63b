/**
 * Server-sent events: a decoder for bytes cut anywhere, and an encoder.
 *
 * @module
 */
export {
  createSseDecoder,
  decodeSse,
  decodeSsePieces,
  type SseDecoder,
  type SseDecoderOptions,
  type SseEvent,
  type SseFiller,
  type SseIncomplete,
  type SsePiece,
} from './decode.ts'
export {
  encodeSseComment,
  encodeSseEvent,
  encodeSseJson,
  SSE_DONE,
  SSE_KEEP_ALIVE,
  type SseEventFields,
} from './encode.ts'
