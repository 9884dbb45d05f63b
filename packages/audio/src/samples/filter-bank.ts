/** Zero crossings of the sinc on each side. */
const HALF_WIDTH = 48
/** Damping of the stop band. With {@link HALF_WIDTH} it fixes the width of the transition band. */
const STOP_BAND_DB = 90
/**
 * Filters of a bank, divided by the stretch of each: a bank has at most some 100,000 values, which takes a few
 * milliseconds. Ratios that need more filters take those between two of a bank with fewer.
 */
const MAX_PHASES = 1024
/** Filters that are interpolated, divided by their stretch: a stretched filter changes less from one to the next. */
const INTERPOLATED_PHASES = 512
/** Banks that are kept: a few rates are used over and over. */
const MAX_CACHED = 4

/** Filters of a resampler, one for each place between two input samples. */
export interface FilterBank {
  /** Taps of a filter. Tap `t` of an output at input position `p` weighs input `floor(p) - taps / 2 + 1 + t`. */
  readonly taps: number
  /** Filters of the bank, evenly spread over one input sample; one more follows for position 1. */
  readonly phases: number
  /** `(phases + 1) * taps` values. Each filter sums up to 1. */
  readonly values: Float64Array
}

const cache = new Map<string, FilterBank>()

/** The bank for `outputRate = inputRate * up / down`, with `up` and `down` without a common divisor. */
export function getFilterBank(up: number, down: number): FilterBank {
  const key = `${up}/${down}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const bank = makeFilterBank(up, down)
  const [oldest] = cache.keys()
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  cache.set(key, bank)
  return bank
}

function makeFilterBank(up: number, down: number): FilterBank {
  const stretch = Math.max(1, down / up)
  const half = Math.ceil(HALF_WIDTH * stretch)
  const taps = 2 * half
  const phases = up * stretch <= MAX_PHASES ? up : Math.ceil(INTERPOLATED_PHASES / stretch)
  const values = new Float64Array((phases + 1) * taps)
  const kaiser = makeKaiserWindow(0.1102 * (STOP_BAND_DB - 8.7))
  // The stop band begins at half of the lower rate.
  const transition = (STOP_BAND_DB - 8) / (2.285 * 2 * HALF_WIDTH * Math.PI)
  const cutoff = (1 - transition / 2) / stretch
  for (let phase = 0; phase <= phases; phase++) {
    const filter = values.subarray(phase * taps, (phase + 1) * taps)
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - half + 1 - phase / phases
      filter[tap] = sinc(cutoff * distance) * kaiser(distance / half)
    }
    const sum = filter.reduce((total, value) => total + value, 0)
    for (let tap = 0; tap < taps; tap++) filter[tap] = (filter[tap] ?? 0) / sum
  }
  return { taps, phases, values }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** A Kaiser window over -1..1, read from a table: its Bessel function takes longer than the rest of the bank. */
function makeKaiserWindow(beta: number): (x: number) => number {
  const steps = 4096
  const scale = besselI0(beta)
  const table = Float64Array.from({ length: steps + 2 }, (_, step) => {
    return besselI0(beta * Math.sqrt(Math.max(0, 1 - (step / steps) ** 2))) / scale
  })
  return (x) => {
    const place = Math.abs(x) * steps
    if (place >= steps) return 0
    const step = Math.floor(place)
    const low = table[step] ?? 0
    return low + (place - step) * ((table[step + 1] ?? 0) - low)
  }
}

function besselI0(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-16; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
