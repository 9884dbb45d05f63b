import type { Decode } from './decoded.ts'
import { runDecoder } from './run-decoder.ts'
import { shortPieces } from './short-pieces.ts'

/** A frame of silence has some 14 bytes and up to 65,535 samples of eight channels. */
const PIECE_BYTES = 256

/** Decodes FLAC by libFLAC. Frames that are damaged are left out. */
export const decodeFlac: Decode = async function* (file, { signal }) {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac')
  const decoder = new FLACDecoder()
  await decoder.ready
  yield* runDecoder(decoder, shortPieces(file, PIECE_BYTES, signal))
}
