import type { AudioPieces } from '../streams/abortable.ts'
import { createSlices } from '../streams/slices.ts'

/**
 * Divides the pieces of a file, so that one of them is decoded in a short time and to a bounded number of samples: few
 * bytes may hold much silence. Other work has its turn between them, because a damaged file may take long without any
 * sample.
 *
 * @throws the signal's reason once it is aborted
 */
export async function* shortPieces(
  file: AudioPieces,
  maxBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const slices = createSlices(signal)
  for await (const piece of file) {
    for (let at = 0; at < piece.length; at += maxBytes) {
      yield piece.subarray(at, at + maxBytes)
      await slices.breathe()
    }
  }
}
