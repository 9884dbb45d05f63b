import type { Decode } from './decoded.ts'
import { runDecoder } from './run-decoder.ts'
import { shortPieces } from './short-pieces.ts'

/** A frame of 576 samples has 24 bytes or more. */
const PIECE_BYTES = 8 * 1024

/** Decodes MP3 by mpg123. Frames that are damaged are left out. */
export const decodeMp3: Decode = async function* (file, { signal }) {
  const { MPEGDecoder } = await import('mpg123-decoder')
  const decoder = new MPEGDecoder()
  await decoder.ready
  yield* runDecoder(decoder, shortPieces(file, PIECE_BYTES, signal))
}
