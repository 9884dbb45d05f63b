import { correlate } from './fourier.ts'
import { solveToeplitz } from './solve-toeplitz.ts'

/** Coefficients before the strongest way of the echo: the delay is known to a few samples. */
export const LEAD_TAPS = 64
/** Coefficients of the way of an echo: 64 ms of a room. */
const TAPS = 1024
/** Noise that the voice is thought to have, so that bands without sound are not amplified. */
const LOADING = 1e-3

/**
 * Learns the way of an echo: a filter that makes the sound out of the voice with the least error.
 *
 * @param sound what was heard
 * @param voice what was played, moved by the delay and {@link LEAD_TAPS} more; as long as the sound
 */
export function fitEcho(sound: Float32Array, voice: Float32Array): Float64Array {
  const { cross, auto } = correlate(sound, voice)
  const loaded = auto.slice(0, TAPS)
  loaded[0] = (loaded[0] as number) * (1 + LOADING)
  return solveToeplitz(loaded, cross.slice(0, TAPS), TAPS)
}

/** Makes the last samples of an echo out of the voice. */
export function makeEcho(voice: Float32Array, filter: Float64Array, count: number): Float32Array {
  const echo = new Float32Array(count)
  const from = voice.length - count
  for (let index = 0; index < count; index++) {
    let sum = 0
    const last = Math.min(filter.length - 1, from + index)
    for (let tap = 0; tap <= last; tap++) sum += (filter[tap] as number) * (voice[from + index - tap] as number)
    echo[index] = sum
  }
  return echo
}
