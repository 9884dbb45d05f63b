import { checkOptions } from '../check-entries.ts'
import { AudioError } from '../errors.ts'
import { checkRate } from '../samples/resampler.ts'

/** Options of {@link encodeWavHeader}. */
export interface WavHeaderOptions {
  /** Samples a second of each channel, an integer in 4000..192000. */
  readonly sampleRate: number
  /** Interleaved channels, 1 or 2. @default 1 */
  readonly channels?: number | undefined
  /** Samples of each channel. @default not known: the sizes are `0xFFFFFFFF`, which players read as "to the end" */
  readonly frames?: number | undefined
}

const HEADER_BYTES = 44
const UNKNOWN_SIZE = 0xffff_ffff

/**
 * Writes the 44 bytes before the samples of a WAV file with 16-bit integers.
 *
 * @throws AudioError `invalid_audio_option` for a rate or channels out of range, and for a file of 4 GiB and more
 * @example
 * reply.write(encodeWavHeader({ sampleRate: 24_000 })) // then s16le samples as they come
 */
export function encodeWavHeader(options: WavHeaderOptions): Uint8Array {
  checkOptions('encodeWavHeader', options)
  const { sampleRate, channels = 1, frames } = options
  checkRate(sampleRate, 'sample rate')
  checkChannels(channels)
  const frameBytes = 2 * channels
  const dataBytes = frames === undefined ? UNKNOWN_SIZE : frames * frameBytes
  const riffBytes = frames === undefined ? UNKNOWN_SIZE : dataBytes + HEADER_BYTES - 8
  if (!Number.isInteger(dataBytes) || dataBytes < 0 || riffBytes > UNKNOWN_SIZE) {
    throw new AudioError('invalid_audio_option', 'a WAV file holds less than 4 GiB')
  }
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  header.set(new TextEncoder().encode('RIFF    WAVEfmt                     data    '))
  view.setUint32(4, riffBytes, true)
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * frameBytes, true)
  view.setUint16(32, frameBytes, true)
  view.setUint16(34, 16, true)
  view.setUint32(40, dataBytes, true)
  return header
}

/** Refuses all but mono and stereo. @throws AudioError `invalid_audio_option` */
export function checkChannels(channels: number): void {
  if (channels === 1 || channels === 2) return
  throw new AudioError('invalid_audio_option', 'channels must be 1 or 2')
}
