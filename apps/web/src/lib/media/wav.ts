/** Facts of a WAV file, as its header gives them. */
export interface WavHead {
  readonly sampleRate: number
  readonly channels: number
  /** Bytes before the samples. */
  readonly offset: number
}

/** Headers that are longer hold something else. */
const MAX_HEAD_BYTES = 65_536
const PCM = 1
const EXTENSIBLE = 0xfffe

/**
 * Reads the header of a WAV file with 16-bit samples.
 *
 * @returns undefined as long as the header is not complete
 * @throws Error for anything else than a WAV file with 16-bit samples
 */
export function readWavHead(bytes: Uint8Array): WavHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12) return undefined
  if (readName(view, 0) !== 'RIFF' || readName(view, 8) !== 'WAVE') throw new Error('the sound is not a WAV file')
  let format: Pick<WavHead, 'sampleRate' | 'channels'> | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at + 4, true)
    const name = readName(view, at)
    if (name === 'data') {
      if (format === undefined) break
      return { ...format, offset: at + 8 }
    }
    if (name === 'fmt ' && at + 24 <= bytes.length) format = readFormat(view, at + 8)
    at += 8 + length + (length % 2)
  }
  if (bytes.length > MAX_HEAD_BYTES) throw new Error('the WAV file has no samples')
  return undefined
}

function readFormat(view: DataView, at: number): Pick<WavHead, 'sampleRate' | 'channels'> {
  const kind = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const isKnown = (kind === PCM || kind === EXTENSIBLE) && view.getUint16(at + 14, true) === 16
  if (!isKnown || channels === 0 || sampleRate === 0) throw new Error('the WAV file has no 16-bit samples')
  return { channels, sampleRate }
}

function readName(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((place) => view.getUint8(at + place)))
}

/** Writes a WAV file of 16-bit samples with the lengths that a streamed file lacks. */
export function writeWav({ sampleRate, channels }: Omit<WavHead, 'offset'>, samples: readonly Uint8Array[]): Blob {
  const length = samples.reduce((sum, piece) => sum + piece.length, 0)
  const head = new DataView(new ArrayBuffer(44))
  const name = (at: number, text: string) => {
    for (const [index, letter] of [...text].entries()) head.setUint8(at + index, letter.charCodeAt(0))
  }
  name(0, 'RIFF')
  head.setUint32(4, 36 + length, true)
  name(8, 'WAVEfmt ')
  head.setUint32(16, 16, true)
  head.setUint16(20, PCM, true)
  head.setUint16(22, channels, true)
  head.setUint32(24, sampleRate, true)
  head.setUint32(28, sampleRate * channels * 2, true)
  head.setUint16(32, channels * 2, true)
  head.setUint16(34, 16, true)
  name(36, 'data')
  head.setUint32(40, length, true)
  return new Blob([head.buffer, ...samples.map((piece) => piece as BlobPart)], { type: 'audio/wav' })
}

/** The samples of a channel, -1 to 1. @param bytes whole frames of 16-bit samples, the channels in turn */
export function readChannel(bytes: Uint8Array, channels: number, channel: number): Float32Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frames = Math.floor(bytes.length / (2 * channels))
  return Float32Array.from(
    { length: frames },
    (_, frame) => view.getInt16((frame * channels + channel) * 2, true) / 32_768,
  )
}
