/**
 * Opus packets of live speech, as calls carry them: encoded, decoded, and made up where they are lost.
 *
 * @module
 */
export { createOpusFrameDecoder, type OpusFrameDecoder } from './frame-decoder.ts'
export { createOpusFrameEncoder, type OpusFrameEncoder, type OpusFrameEncoderOptions } from './frame-encoder.ts'
export { OPUS_FRAME_MS, readOpusDuration } from './packet.ts'
