import { AudioError } from '../errors.ts'

/** How a WAV file writes a sample. Integers of 8 bits are unsigned, all others signed; all are little-endian. */
export type WavSampleFormat = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64' | 'alaw' | 'mulaw'

/** The facts of a WAV file that its samples need. */
export interface WavHeader {
  readonly sampleFormat: WavSampleFormat
  /** Samples a second of each channel, in 1000..768000. */
  readonly sampleRate: number
  /** Interleaved channels, in 1..32. */
  readonly channels: number
  /** Bytes of one sample of all channels. */
  readonly frameBytes: number
  /** Bytes of samples, as the file declares them; undefined if it says that it does not know. The file may have fewer. */
  readonly dataBytes: number | undefined
}

/** Facts of the `fmt ` chunk. */
export type WavFormat = Omit<WavHeader, 'dataBytes'>

const PCM = 1
const FLOAT = 3
const A_LAW = 6
const MU_LAW = 7
const EXTENSIBLE = 0xfffe
const MIN_FORMAT_BYTES = 16
const EXTENSIBLE_BYTES = 40
/** The last 14 bytes of the GUIDs whose first two are a format tag. */
const GUID_TAIL = '000000001000800000aa00389b71'
const MIN_SAMPLE_RATE = 1000
const MAX_SAMPLE_RATE = 768_000
const MAX_CHANNELS = 32

const FORMATS: Readonly<Record<string, WavSampleFormat>> = {
  [`${PCM}/8`]: 'u8',
  [`${PCM}/16`]: 's16',
  [`${PCM}/24`]: 's24',
  [`${PCM}/32`]: 's32',
  [`${FLOAT}/32`]: 'f32',
  [`${FLOAT}/64`]: 'f64',
  [`${A_LAW}/8`]: 'alaw',
  [`${MU_LAW}/8`]: 'mulaw',
}

/** Bytes of a sample of each format. */
export const SAMPLE_BYTES: Readonly<Record<WavSampleFormat, number>> = {
  u8: 1,
  s16: 2,
  s24: 3,
  s32: 4,
  f32: 4,
  f64: 8,
  alaw: 1,
  mulaw: 1,
}

/**
 * Reads the body of a `fmt ` chunk. The frame size and the byte rate of the chunk are ignored: they follow from the
 * rest, and many writers get them wrong.
 *
 * @throws AudioError `bad_audio` if it is too short or out of range; `unsupported_audio` for other codecs
 */
export function parseWavFormat(chunk: Uint8Array): WavFormat {
  if (chunk.length < MIN_FORMAT_BYTES) throw new AudioError('bad_audio', 'the WAV header is cut off')
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const channels = view.getUint16(2, true)
  const sampleRate = view.getUint32(4, true)
  const bits = view.getUint16(14, true)
  if (channels < 1 || channels > MAX_CHANNELS) {
    throw new AudioError('bad_audio', `the WAV file has ${channels} channels; 1 to ${MAX_CHANNELS} are possible`)
  }
  if (sampleRate < MIN_SAMPLE_RATE || sampleRate > MAX_SAMPLE_RATE) {
    throw new AudioError('bad_audio', `the WAV file has ${sampleRate} samples a second`)
  }
  const tag = readTag(chunk, view)
  // Samples of 12 or 20 bits fill the upper bits of whole bytes.
  const sampleFormat = FORMATS[`${tag}/${Math.ceil(bits / 8) * 8}`]
  if (sampleFormat === undefined) {
    const name = `0x${tag.toString(16).padStart(4, '0')}`
    throw new AudioError('unsupported_audio', `WAV files with codec ${name} and ${bits} bits a sample cannot be read`)
  }
  return { sampleFormat, sampleRate, channels, frameBytes: channels * SAMPLE_BYTES[sampleFormat] }
}

function readTag(chunk: Uint8Array, view: DataView): number {
  const tag = view.getUint16(0, true)
  if (tag !== EXTENSIBLE) return tag
  if (chunk.length < EXTENSIBLE_BYTES) throw new AudioError('bad_audio', 'the WAV header is cut off')
  const tail = [...chunk.subarray(26, EXTENSIBLE_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (tail !== GUID_TAIL) throw new AudioError('unsupported_audio', 'the codec of the WAV file is not known')
  return view.getUint16(24, true)
}
