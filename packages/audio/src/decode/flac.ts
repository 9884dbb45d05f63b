import { createFrameFinder } from '../flac/find-frames.ts'
import type { AudioPieces } from '../streams/abortable.ts'
import { createSlices } from '../streams/slices.ts'
import type { Decode } from './decoded.ts'
import { runDecoder } from './run-decoder.ts'

/** Decodes FLAC by libFLAC, a frame at a time. Frames that are damaged are left out. */
export const decodeFlac: Decode = async function* (file, { signal }) {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac')
  const decoder = new FLACDecoder()
  await decoder.ready
  const frames = {
    decode: (frame: Uint8Array) => decoder.decodeFrames([frame]),
    free: () => decoder.free(),
  }
  yield* runDecoder(frames, readFrames(file, signal))
}

/** Other work has its turn between frames: few bytes may hold much silence. */
async function* readFrames(file: AudioPieces, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const slices = createSlices(signal)
  const finder = createFrameFinder()
  const giveAll = async function* (frames: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for (const frame of frames) {
      yield frame
      await slices.breathe()
    }
    await slices.breathe()
  }
  for await (const piece of file) yield* giveAll(finder.push(piece))
  yield* giveAll(finder.end())
}
