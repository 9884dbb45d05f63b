import { HEARD_RATE } from '../../ports.ts'

/** Frames of 20 ms. */
const FRAME = HEARD_RATE / 50
/** A frame of which less is left than this part of the echo was nothing else. */
const LEAST_LEFT = 0.1
/** Rooms go on sounding: by 60 dB less after some 0.6 seconds. */
const FADING = 10 ** -0.2

export interface RestOfSound {
  readonly left: Float32Array
  /** What the echo does not explain of the sound: 0 to 1. */
  readonly part: number
}

/** Creates a filter that takes an echo from a sound, and silences the frames in which little more is left. */
export function createRestFilter(): (sound: Float32Array, echo: Float32Array) => RestOfSound {
  let fading = 0
  return (sound, echo) => {
    const left = sound.map((sample, index) => sample - (echo[index] ?? 0))
    const part = Math.min(1, sumSquares(left) / Math.max(sumSquares(sound), Number.MIN_VALUE))
    for (let from = 0; from < left.length; from += FRAME) {
      const rest = left.subarray(from, from + FRAME)
      fading = Math.max(sumSquares(echo.subarray(from, from + FRAME)), fading * FADING)
      if (sumSquares(rest) < LEAST_LEFT * fading) rest.fill(0)
    }
    return { left, part }
  }
}

function sumSquares(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return sum
}
