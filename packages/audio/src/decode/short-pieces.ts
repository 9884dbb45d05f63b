import type { AudioPieces } from '../streams/abortable.ts'

/**
 * Divides the pieces of a file, so that one of them is decoded in a short time and to a bounded number of samples: few
 * bytes may hold much silence.
 */
export async function* shortPieces(file: AudioPieces, maxBytes: number): AsyncGenerator<Uint8Array> {
  for await (const piece of file) {
    for (let at = 0; at < piece.length; at += maxBytes) yield piece.subarray(at, at + maxBytes)
  }
}
