import { correlate } from './fourier.ts'
import { solveToeplitz } from './solve-toeplitz.ts'

/** Coefficients before the strongest way of the echo: the delay is known to a few samples. */
export const LEAD_TAPS = 64
/** Coefficients of the way of an echo: 64 ms of a room. */
const TAPS = 1024
/** Noise that the voice is thought to have, so that bands without sound are not amplified. */
const LOADING = 1e-3

/**
 * Makes the echo in the end of a sound out of the voice.
 *
 * @param sound what was heard
 * @param voice what was played, moved by the delay; it begins {@link LEAD_TAPS} earlier and ends as much later
 * @param count samples of the end that are wanted
 */
export function fitEcho(sound: Float32Array, voice: Float32Array, count: number): Float32Array {
  const filter = findFilter(sound, voice)
  const echo = new Float32Array(count)
  const from = sound.length - count + 2 * LEAD_TAPS
  for (let index = 0; index < count; index++) {
    let sum = 0
    const last = Math.min(TAPS - 1, from + index)
    for (let tap = 0; tap <= last; tap++) sum += (filter[tap] as number) * (voice[from + index - tap] as number)
    echo[index] = sum
  }
  return echo
}

/** Coefficient k is of the voice that was played k - {@link LEAD_TAPS} samples before its echo. */
function findFilter(sound: Float32Array, voice: Float32Array): Float64Array {
  const played = voice.subarray(2 * LEAD_TAPS)
  const { cross, auto } = correlate(sound, played)
  const loaded = auto.slice(0, TAPS)
  loaded[0] = (loaded[0] as number) * (1 + LOADING)
  return solveToeplitz(loaded, cross.slice(0, TAPS), TAPS)
}
