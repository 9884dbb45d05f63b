/**
 * JSON lines: a decoder for bytes cut anywhere, and an encoder.
 *
 * @module
 */
export {
  createNdjsonDecoder,
  decodeNdjson,
  type NdjsonDecoder,
  type NdjsonDecoderOptions,
  type NdjsonLine,
} from './decode.ts'
export { encodeNdjson } from './encode.ts'
