import { createMonoConverter, readFormat, type WavFormat } from './wav-samples.ts'

/** A piece of streamed speech: the sample rate once, first; then 16-bit little-endian mono samples. */
export type SpeechPiece = { readonly sampleRate: number } | { readonly audio: Uint8Array }

/** The sound of a WAV file begins before this, or the file is taken for something else. */
const MAX_HEAD_BYTES = 64 * 1024
const RIFF_BYTES = 12
const CHUNK_HEAD_BYTES = 8
/** Place of the sample rate in the chunk `fmt `. */
const RATE_OFFSET = 4
const FORMAT_BYTES = 16

/** The part of a WAV file before its sound. */
interface WavHead {
  readonly sampleRate: number
  readonly format: WavFormat
  readonly bytes: number
}

/**
 * Reads a WAV file while it arrives: the sample rate first, then the sound. Other chunks before the sound, such as
 * names of the program, are skipped, and samples of another form are converted. Bytes without such a header pass as they
 * are, without a sample rate.
 *
 * @throws {SvcError} `internal` for samples of a form that cannot be converted
 */
export async function* readWavHead(body: AsyncIterable<Uint8Array>): AsyncGenerator<SpeechPiece, void, undefined> {
  let start = Buffer.alloc(0)
  let convert: ((piece: Uint8Array) => Uint8Array) | undefined
  for await (const piece of body) {
    let audio = piece
    if (convert === undefined) {
      start = Buffer.concat([start, piece])
      const head = findHead(start)
      if (head === 'unknown') continue
      convert = head === 'none' ? (bytes) => bytes : createMonoConverter(head.format)
      if (head !== 'none') yield { sampleRate: head.sampleRate }
      audio = head === 'none' ? start : start.subarray(head.bytes)
    }
    const converted = convert(audio)
    if (converted.length > 0) yield { audio: converted }
  }
  if (convert === undefined && start.length > 0) yield { audio: start }
}

/** Finds where the sound begins; `unknown` until enough bytes are there. */
function findHead(bytes: Buffer): WavHead | 'none' | 'unknown' {
  if (!matches(bytes, 0, 'RIFF') || !matches(bytes, 8, 'WAVE')) return 'none'
  let found: Omit<WavHead, 'bytes'> | undefined
  let place = RIFF_BYTES
  while (bytes.length >= place + CHUNK_HEAD_BYTES) {
    const name = bytes.toString('latin1', place, place + 4)
    const size = bytes.readUInt32LE(place + 4)
    const content = place + CHUNK_HEAD_BYTES
    if (name === 'data') return found === undefined ? 'none' : { ...found, bytes: content }
    if (content + size > MAX_HEAD_BYTES) return 'none'
    if (name === 'fmt ') {
      if (size < FORMAT_BYTES) return 'none'
      if (bytes.length < content + size) return 'unknown'
      const format = readFormat(bytes.subarray(content, content + size))
      found = { sampleRate: bytes.readUInt32LE(content + RATE_OFFSET), format }
    }
    // Chunks begin at even places.
    place = content + size + (size % 2)
  }
  return 'unknown'
}

function matches(bytes: Buffer, offset: number, word: string): boolean {
  const part = bytes.subarray(offset, offset + word.length).toString('latin1')
  return word.startsWith(part)
}
