import { checkOptions, checkSamples } from '../check-entries.ts'
import { AudioError } from '../errors.ts'
import { type FilterBank, getFilterBank } from './filter-bank.ts'

/** The lowest rate that a {@link Resampler} takes and gives, in samples a second. */
export const MIN_RATE = 4000
/** The highest rate that a {@link Resampler} takes and gives, in samples a second. */
export const MAX_RATE = 192_000
const MAX_CHANNELS = 32

/** Options of {@link createResampler}. */
export interface ResamplerOptions {
  /** Samples a second of the input, an integer in 4000..192000. */
  readonly inputRate: number
  /** Samples a second of the output, an integer in 4000..192000. */
  readonly outputRate: number
  /** Interleaved channels, 1..32. @default 1 */
  readonly channels?: number | undefined
}

/** Changes the sample rate of a stream. It holds less than 50 ms of samples between two calls. */
export interface Resampler {
  /**
   * Takes the next samples, interleaved and in whole frames, and returns those that are complete. Samples are floats of
   * any range.
   *
   * @throws AudioError `bad_audio` if the last frame is incomplete
   */
  push(samples: Float32Array): Float32Array
  /** Ends the stream and returns its last samples. */
  end(): Float32Array
}

/**
 * Creates a polyphase resampler for any ratio of two rates.
 *
 * - Frequencies up to 0.88 of half of the lower rate keep their level within 0.01 dB. Images and aliases are damped by
 *   85 dB or more.
 * - Output sample `k` is the input at time `k / outputRate`: the filter delays nothing. `n` input frames give
 *   `ceil(n * outputRate / inputRate)` output frames.
 * - The output is the same for every division of the input into pieces.
 *
 * @throws AudioError `invalid_audio_option` for rates or channels out of range
 * @example
 * const resampler = createResampler({ inputRate: 44_100, outputRate: 16_000 })
 * const speech = [...pieces.map((piece) => resampler.push(piece)), resampler.end()]
 */
export function createResampler(options: ResamplerOptions): Resampler {
  checkOptions('createResampler', options)
  const { inputRate, outputRate, channels = 1 } = options
  checkRate(inputRate, 'sample rate of the input')
  checkRate(outputRate, 'sample rate')
  if (!Number.isInteger(channels) || channels < 1 || channels > MAX_CHANNELS) {
    throw new AudioError('invalid_audio_option', `channels must be an integer in 1..${MAX_CHANNELS}`)
  }
  if (inputRate === outputRate) {
    return { push: (samples) => requireFrames(samples, channels), end: () => new Float32Array(0) }
  }
  return new PolyphaseResampler(inputRate, outputRate, channels)
}

/** Refuses rates that no resampler takes. @throws AudioError `invalid_audio_option` */
export function checkRate(rate: number, name: string): void {
  if (Number.isInteger(rate) && rate >= MIN_RATE && rate <= MAX_RATE) return
  throw new AudioError('invalid_audio_option', `the ${name} must be an integer in ${MIN_RATE}..${MAX_RATE}`)
}

class PolyphaseResampler implements Resampler {
  readonly #channels: number
  readonly #up: number
  readonly #down: number
  readonly #bank: FilterBank
  /** Interleaved input that later outputs need, after zeros in place of the time before the stream. */
  #history: Float32Array
  #frames: number
  /** The next output: the first frame of the history that it weighs, and `#phase / #up` of a frame after its middle. */
  #start = 0
  #phase = 0
  #taken = 0
  #given = 0

  constructor(inputRate: number, outputRate: number, channels: number) {
    const divisor = findDivisor(inputRate, outputRate)
    this.#channels = channels
    this.#up = outputRate / divisor
    this.#down = inputRate / divisor
    this.#bank = getFilterBank(this.#up, this.#down)
    this.#frames = this.#bank.taps / 2 - 1
    this.#history = new Float32Array(this.#frames * channels)
  }

  push(samples: Float32Array): Float32Array {
    this.#append(requireFrames(samples, this.#channels))
    this.#taken += samples.length / this.#channels
    const ready = this.#countReady()
    return this.#produce(ready)
  }

  end(): Float32Array {
    this.#append(new Float32Array(this.#bank.taps * this.#channels))
    return this.#produce(Math.ceil((this.#taken * this.#up) / this.#down) - this.#given)
  }

  #append(samples: Float32Array): void {
    const kept = this.#history.subarray(this.#start * this.#channels, this.#frames * this.#channels)
    const history = new Float32Array(kept.length + samples.length)
    history.set(kept)
    history.set(samples, kept.length)
    this.#history = history
    this.#frames = history.length / this.#channels
    this.#start = 0
  }

  /** Outputs whose taps all lie within the history. */
  #countReady(): number {
    const room = this.#frames - this.#bank.taps
    if (room < 0) return 0
    // Output `i` starts at floor((phase + i * down) / up), which may be up to `room`.
    return Math.max(0, Math.ceil(((room + 1) * this.#up - this.#phase) / this.#down))
  }

  #produce(count: number): Float32Array {
    const channels = this.#channels
    const output = new Float32Array(count * channels)
    for (let frame = 0; frame < count; frame++) {
      for (let channel = 0; channel < channels; channel++) {
        output[frame * channels + channel] = this.#weigh(channel)
      }
      this.#phase += this.#down
      this.#start += Math.floor(this.#phase / this.#up)
      this.#phase %= this.#up
    }
    this.#given += count
    return output
  }

  #weigh(channel: number): number {
    const { phases, values, taps } = this.#bank
    if (phases === this.#up) return this.#convolve(values, this.#phase * taps, channel)
    const place = (this.#phase / this.#up) * phases
    const lower = Math.floor(place)
    const low = this.#convolve(values, lower * taps, channel)
    return low + (place - lower) * (this.#convolve(values, (lower + 1) * taps, channel) - low)
  }

  #convolve(values: Float64Array, from: number, channel: number): number {
    const history = this.#history
    const channels = this.#channels
    const { taps } = this.#bank
    let at = this.#start * channels + channel
    let sum = 0
    for (let tap = 0; tap < taps; tap++, at += channels) sum += (values[from + tap] ?? 0) * (history[at] ?? 0)
    return sum
  }
}

function requireFrames(samples: Float32Array, channels: number): Float32Array {
  checkSamples('Resampler.push', samples)
  if (samples.length % channels === 0) return samples
  throw new AudioError('bad_audio', 'the audio ends within a frame')
}

function findDivisor(a: number, b: number): number {
  return b === 0 ? a : findDivisor(b, a % b)
}
