import { AudioError } from '../errors.ts'
import { createResampler, type Resampler } from '../samples/resampler.ts'
import type { AudioPieces } from '../streams/abortable.ts'
import { createSlices } from '../streams/slices.ts'
import type { DecodedPiece, Decoder } from './decoder.ts'

/** Rates that a resampler takes. */
const MIN_RATE = 4000
const MAX_RATE = 192_000

/**
 * Decodes a file to mono. Damaged parts inside of it are left out, as players do.
 *
 * @throws AudioError `bad_audio` if nothing of the file can be decoded
 */
export async function* decodeFile(
  file: AudioPieces,
  open: () => Promise<Decoder>,
  { sampleRate, signal }: { readonly sampleRate: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Float32Array> {
  const slices = createSlices(signal)
  const decoder = await open()
  const mono = createMono(sampleRate)
  try {
    for await (const bytes of file) {
      for (let start = 0; start < bytes.length; start += decoder.pieceBytes) {
        await slices.breathe()
        yield* mono.push(await decoder.push(bytes.subarray(start, start + decoder.pieceBytes)))
      }
    }
    const last = await decoder.end()
    if (last !== undefined) yield* mono.push(last)
    yield* mono.end()
  } finally {
    decoder.close()
  }
}

interface Mono {
  push(piece: DecodedPiece): Generator<Float32Array>
  end(): Generator<Float32Array>
}

/** Mixes and resamples. The rate may change within a file. */
function createMono(outputRate: number): Mono {
  let current: { readonly inputRate: number; readonly resampler: Resampler } | undefined
  return {
    *push({ sampleRate: inputRate, channels }) {
      if (channels.length === 0) return
      if (!(inputRate >= MIN_RATE && inputRate <= MAX_RATE)) {
        throw new AudioError('bad_audio', `the audio says that it has ${inputRate} samples a second`)
      }
      if (current?.inputRate !== inputRate) {
        if (current !== undefined) yield current.resampler.end()
        current = { inputRate, resampler: createResampler({ inputRate, outputRate }) }
      }
      yield current.resampler.push(mix(channels))
    },
    *end() {
      if (current === undefined) throw new AudioError('bad_audio', 'nothing of the audio can be decoded')
      yield current.resampler.end()
    },
  }
}

function mix(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0)] = channels
  if (channels.length === 1) return first
  return first.map((_, index) => channels.reduce((sum, channel) => sum + (channel[index] ?? 0), 0) / channels.length)
}
