import { createResampler, type Resampler } from '@svc/audio/samples'

/** Sound that waits, of any rate; it comes out in frames of one length and rate. */
export interface FrameQueue {
  /** Milliseconds that wait. */
  readonly ms: number
  readonly isEmpty: boolean
  push(samples: Float32Array, sampleRate: number): void
  /** The next frame. The last one is filled up with silence. Undefined when nothing waits. */
  shift(): Float32Array | undefined
  clear(): void
}

/** Creates a queue. */
export function createFrameQueue({
  sampleRate,
  frameSamples,
}: {
  readonly sampleRate: number
  readonly frameSamples: number
}): FrameQueue {
  const pieces: Float32Array[] = []
  let samples = 0
  /** Holds the last few samples of a stretch back. */
  let held: { readonly rate: number; readonly resampler: Resampler } | undefined

  function add(more: Float32Array): void {
    if (more.length === 0) return
    pieces.push(more)
    samples += more.length
  }

  function release(): void {
    if (held !== undefined) add(held.resampler.end())
    held = undefined
  }

  function take(count: number): Float32Array {
    const frame = new Float32Array(frameSamples)
    let filled = 0
    while (filled < count) {
      const [piece] = pieces
      if (piece === undefined) break
      const part = piece.subarray(0, count - filled)
      frame.set(part, filled)
      filled += part.length
      if (part.length === piece.length) pieces.shift()
      else pieces[0] = piece.subarray(part.length)
    }
    samples -= filled
    return frame
  }

  return {
    get ms() {
      return (samples * 1000) / sampleRate
    },
    get isEmpty() {
      return samples === 0 && held === undefined
    },
    push(more, rate) {
      if (held?.rate !== rate) {
        release()
        held = { rate, resampler: createResampler({ inputRate: rate, outputRate: sampleRate }) }
      }
      add(held.resampler.push(more))
    },
    shift() {
      if (samples < frameSamples) release()
      return samples === 0 ? undefined : take(Math.min(samples, frameSamples))
    },
    clear() {
      pieces.length = 0
      samples = 0
      held = undefined
    },
  }
}
