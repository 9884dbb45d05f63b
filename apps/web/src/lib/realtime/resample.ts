/** Zero crossings of the filter on each side. */
const REACH = 8

/** Changes the rate of sound that comes in pieces. */
export type Resampler = (samples: Float32Array) => Float32Array<ArrayBuffer>

/** The filter at a distance in samples of the slower rate; zero beyond {@link REACH}. */
function weigh(distance: number): number {
  if (distance === 0) return 1
  if (Math.abs(distance) >= REACH) return 0
  const angle = Math.PI * distance
  // a sinc in a Hann window
  return (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / REACH))
}

/**
 * Makes a resampler with a windowed sinc. It delays the sound by half a filter, which is less than a millisecond at
 * usual rates, and holds no more than one filter of it.
 */
export function createResampler(fromRate: number, toRate: number): Resampler {
  if (fromRate === toRate) return (samples) => samples.slice()
  const step = fromRate / toRate
  const scale = Math.min(1, toRate / fromRate)
  const half = Math.ceil(REACH / scale)
  let held = new Float32Array(half)
  /** The place of the next sample in the held ones. */
  let place = half
  const interpolate = (at: number): number => {
    let sum = 0
    for (let index = Math.ceil(at - half); index <= at + half; index += 1)
      sum += (held[index] ?? 0) * weigh((index - at) * scale)
    return sum * scale
  }
  return (samples) => {
    const joined = new Float32Array(held.length + samples.length)
    joined.set(held)
    joined.set(samples, held.length)
    held = joined
    const count = Math.max(0, Math.ceil((held.length - half - place) / step))
    const made = Float32Array.from({ length: count }, (_, index) => interpolate(place + index * step))
    place += count * step
    const dropped = Math.max(0, Math.floor(place) - half)
    held = held.slice(dropped)
    place -= dropped
    return made
  }
}
