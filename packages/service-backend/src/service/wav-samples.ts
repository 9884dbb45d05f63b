import { SvcError } from '@svc/errors'

/** Form of the samples of a WAV file. */
export interface WavFormat {
  readonly kind: 'pcm' | 'float' | 'other'
  readonly channels: number
  /** Bits of a sample. */
  readonly bits: number
}

const [PCM, FLOAT, EXTENSIBLE] = [1, 3, 0xfffe]
const MAX_CHANNELS = 32
/** Places in the chunk `fmt `. */
const [CHANNELS, BITS, SUBFORMAT] = [2, 14, 24]

/** Reads the form from the chunk `fmt `, of 16 bytes or more. */
export function readFormat(chunk: Buffer): WavFormat {
  const named = chunk.readUInt16LE(0)
  const kind = named === EXTENSIBLE && chunk.length >= SUBFORMAT + 2 ? chunk.readUInt16LE(SUBFORMAT) : named
  return {
    kind: kind === PCM ? 'pcm' : kind === FLOAT ? 'float' : 'other',
    channels: chunk.readUInt16LE(CHANNELS),
    bits: chunk.readUInt16LE(BITS),
  }
}

type ReadSample = (bytes: Buffer, at: number) => number

/** Readers of samples as 16-bit numbers, by their form. */
const READERS: Readonly<Record<string, ReadSample>> = {
  'pcm 8': (bytes, at) => (bytes.readUInt8(at) - 128) * 256,
  'pcm 16': (bytes, at) => bytes.readInt16LE(at),
  'pcm 24': (bytes, at) => bytes.readIntLE(at, 3) / 256,
  'pcm 32': (bytes, at) => bytes.readInt32LE(at) / 65_536,
  'float 32': (bytes, at) => bytes.readFloatLE(at) * 32_768,
  'float 64': (bytes, at) => bytes.readDoubleLE(at) * 32_768,
}

/**
 * Creates a converter of pieces to 16-bit samples of one channel, the mean of all.
 *
 * @throws {SvcError} `internal` for samples of another form
 */
export function createMonoConverter({ kind, channels, bits }: WavFormat): (piece: Uint8Array) => Uint8Array {
  const read = READERS[`${kind} ${bits}`]
  if (read === undefined || channels === 0 || channels > MAX_CHANNELS) {
    const what = `${bits} bits, ${channels} channels${kind === 'other' ? ', compressed' : ''}`
    throw new SvcError('internal', `the upstream sent speech of a form that cannot be streamed: ${what}`, {
      code: 'upstream_unreadable',
    })
  }
  if (kind === 'pcm' && bits === 16 && channels === 1) return (piece) => piece
  const sampleBytes = bits / 8
  const frameBytes = sampleBytes * channels
  let rest = Buffer.alloc(0)
  return (piece) => {
    const bytes = Buffer.concat([rest, piece])
    const frames = Math.floor(bytes.length / frameBytes)
    const mono = Buffer.alloc(2 * frames)
    for (let frame = 0; frame < frames; frame++) {
      let sum = 0
      for (let channel = 0; channel < channels; channel++)
        sum += read(bytes, frame * frameBytes + channel * sampleBytes)
      mono.writeInt16LE(toInt16(sum / channels), 2 * frame)
    }
    rest = Buffer.from(bytes.subarray(frames * frameBytes))
    return mono
  }
}

function toInt16(sample: number): number {
  return Number.isNaN(sample) ? 0 : Math.max(-32_768, Math.min(32_767, Math.round(sample)))
}
