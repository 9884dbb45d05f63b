import { checkArgument } from '@svc/errors'
import { checkOptions, checkPieces } from '../check-entries.ts'
import { AudioError } from '../errors.ts'
import { checkRate, createResampler } from '../samples/resampler.ts'
import { float32ToS16, s16ToFloat32 } from '../samples/s16.ts'
import { type AudioPieces, abortable } from '../streams/abortable.ts'
import { type ClosingStream, closing } from '../streams/closing.ts'
import { joinBytes } from '../streams/join-bytes.ts'
import { createSlices } from '../streams/slices.ts'
import { checkChannels } from '../wav/encode-wav-header.ts'
import type { AudioConverter } from './converter.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import { createFlacEncoder } from './flac/flac-encoder.ts'
import { createMp3Encoder, MP3_RATES } from './mp3-encoder.ts'
import { createOpusEncoder, OPUS_RATES } from './opus-encoder.ts'
import { createPcmEncoder, createWavEncoder } from './pcm-encoder.ts'

/** The formats of {@link encodeAudio}. */
export const AUDIO_FORMATS = ['wav', 'pcm', 'mp3', 'opus', 'flac', 'aac'] as const

/** A format of {@link encodeAudio}: `pcm` is s16le without a header, `opus` is in Ogg pages, `aac` in ADTS frames. */
export type AudioFormat = (typeof AUDIO_FORMATS)[number]

/** Options of {@link encodeAudio}. */
export interface EncodeAudioOptions {
  readonly format: AudioFormat
  /** Samples a second of the input, an integer in 4000..192000. */
  readonly inputRate: number
  /** Interleaved channels of input and output. @default 1 */
  readonly channels?: 1 | 2 | undefined
  /**
   * Samples a second of the output, an integer in 4000..192000. The result has the rate that {@link findEncodedRate}
   * names.
   *
   * @default `inputRate`
   */
  readonly rate?: number | undefined
  /**
   * Bits a second, a positive integer, for `mp3` (constant), `opus` and `aac` (around it). The encoder takes the nearest
   * that it can have at its rate.
   *
   * @default 64,000 a channel; 32,000 for `opus`
   */
  readonly bitRate?: number | undefined
  /** Encodes `aac`. Without it, `aac` is refused. */
  readonly converter?: AudioConverter | undefined
  readonly signal?: AbortSignal | undefined
}

const AAC_RATES = [
  8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
] as const

const RATES: Readonly<Record<AudioFormat, readonly number[] | undefined>> = {
  wav: undefined,
  pcm: undefined,
  flac: undefined,
  mp3: MP3_RATES,
  opus: OPUS_RATES,
  aac: AAC_RATES,
}

const CREATE: Readonly<Record<Exclude<AudioFormat, 'aac'>, (options: EncoderOptions) => Encoder | Promise<Encoder>>> = {
  wav: createWavEncoder,
  pcm: createPcmEncoder,
  mp3: createMp3Encoder,
  opus: createOpusEncoder,
  flac: createFlacEncoder,
}

/** Samples between two looks at the clock. */
const STEP_SAMPLES = 2048
const MAX_BIT_RATE = 10_000_000
const DEFAULT_BITS_A_CHANNEL = 64_000
/** Bounds within which ffmpeg finds a bit rate for each sample rate of AAC. */
const MIN_AAC_BITS_A_CHANNEL = 8000
const MAX_AAC_BITS_A_CHANNEL = 256_000

/**
 * The sample rate that a format gives to a wanted one: the same where the format can have it, else the next higher one,
 * else its highest.
 *
 * @throws AudioError `invalid_audio_option` if `rate` is not an integer in 4000..192000
 */
export function findEncodedRate(format: AudioFormat, rate: number): number {
  checkArgument(AUDIO_FORMATS.includes(format), 'findEncodedRate: format', `one of ${AUDIO_FORMATS.join(', ')}`, format)
  checkRate(rate, 'sample rate')
  const rates = RATES[format]
  return rates === undefined ? rate : (rates.find((possible) => possible >= rate) ?? rates.at(-1) ?? rate)
}

/**
 * Encodes 16-bit samples as they come. The codec is loaded on first use. The event loop gets its turn every few
 * milliseconds, and samples are asked for only as the output is read.
 *
 * An incomplete frame at the end of the input is left out. `wav` and `flac` declare no length, because a stream does
 * not know it. `mp3` begins with the silence of its encoder, 1105 samples or about 50 ms with 24,000 a second.
 *
 * @param pcm s16le samples, interleaved, in pieces of any length; a cut may be within a sample
 * @returns the encoded bytes, in pieces; leaving early ends the source
 * @throws AudioError `invalid_audio_option` at once for options out of range; `converter_missing` at the first read,
 *   before any sample is asked for, for `aac` without a converter; the errors of the source as they are; the signal's
 *   reason once it is aborted
 * @example
 * for await (const bytes of encodeAudio(voice.speak(text), { format: 'mp3', inputRate: 24_000, signal })) {
 *   reply.write(bytes)
 * }
 */
export function encodeAudio(pcm: AudioPieces, options: EncodeAudioOptions): ClosingStream<Uint8Array> {
  checkOptions('encodeAudio', options)
  const { format, inputRate, channels = 1, bitRate, signal, converter } = options
  checkPieces('encodeAudio: pcm', pcm)
  checkArgument(AUDIO_FORMATS.includes(format), 'encodeAudio: format', `one of ${AUDIO_FORMATS.join(', ')}`, format)
  checkRate(inputRate, 'sample rate of the input')
  checkChannels(channels)
  const sampleRate = findEncodedRate(format, options.rate ?? inputRate)
  if (bitRate !== undefined && (!Number.isInteger(bitRate) || bitRate < 1 || bitRate > MAX_BIT_RATE)) {
    throw new AudioError('invalid_audio_option', `the bit rate must be an integer in 1..${MAX_BIT_RATE}`)
  }
  const source = abortable(pcm, signal)
  const samples = resample(source, { inputRate, sampleRate, channels, signal })
  const encoded =
    format === 'aac'
      ? convert(samples, { format, sampleRate, channels, bitRate, signal, converter })
      : encode(samples, () => CREATE[format]({ sampleRate, channels, bitRate }))
  return closing(encoded, async () => {
    await source.return(undefined)
  })
}

async function* encode(
  samples: AsyncIterable<Float32Array>,
  create: () => Encoder | Promise<Encoder>,
): AsyncGenerator<Uint8Array> {
  const encoder = await create()
  try {
    for await (const piece of samples) yield* encoder.push(piece)
    yield* encoder.end()
  } finally {
    encoder.close()
  }
}

async function* convert(
  samples: AsyncIterable<Float32Array>,
  options: EncoderOptions & {
    readonly format: 'aac'
    readonly signal: AbortSignal | undefined
    readonly converter: AudioConverter | undefined
  },
): AsyncGenerator<Uint8Array> {
  const { format, sampleRate, channels, converter, signal = new AbortController().signal } = options
  const wanted = options.bitRate ?? DEFAULT_BITS_A_CHANNEL * channels
  const bitRate = Math.max(MIN_AAC_BITS_A_CHANNEL * channels, Math.min(MAX_AAC_BITS_A_CHANNEL * channels, wanted))
  if (converter === undefined) throw new AudioError('converter_missing', `${format} needs ffmpeg`)
  yield* converter.encode(toS16(samples), { format, sampleRate, channels, bitRate, signal })
}

async function* toS16(samples: AsyncIterable<Float32Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of samples) yield float32ToS16(piece)
}

/** Gives samples of the wanted rate in steps of bounded length, and other work its turn between them. */
async function* resample(
  pcm: AsyncIterable<Uint8Array>,
  options: {
    readonly inputRate: number
    readonly sampleRate: number
    readonly channels: number
    readonly signal: AbortSignal | undefined
  },
): AsyncGenerator<Float32Array> {
  const { inputRate, sampleRate, channels, signal } = options
  const resampler = createResampler({ inputRate, outputRate: sampleRate, channels })
  const slices = createSlices(signal)
  const stepBytes = Math.max(1, Math.round((STEP_SAMPLES * inputRate) / Math.max(inputRate, sampleRate))) * 2 * channels
  for await (const frames of wholeFrames(pcm, 2 * channels)) {
    for (let at = 0; at < frames.length; at += stepBytes) {
      const piece = resampler.push(s16ToFloat32(frames.subarray(at, at + stepBytes)))
      if (piece.length > 0) yield piece
      await slices.breathe()
    }
  }
  const rest = resampler.end()
  if (rest.length > 0) yield rest
}

/** Cuts pieces at the ends of frames. */
async function* wholeFrames(pcm: AsyncIterable<Uint8Array>, frameBytes: number): AsyncGenerator<Uint8Array> {
  let kept = new Uint8Array(0)
  for await (const piece of pcm) {
    if (!(piece instanceof Uint8Array)) throw new AudioError('bad_audio', 'the audio is not a stream of bytes')
    const bytes = kept.length === 0 ? piece : joinBytes(kept, piece)
    const whole = bytes.length - (bytes.length % frameBytes)
    kept = bytes.slice(whole)
    if (whole > 0) yield bytes.subarray(0, whole)
  }
}
