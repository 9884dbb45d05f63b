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
  readonly bytes: number
}

/**
 * Reads a WAV file while it arrives: the sample rate first, then the sound. Other chunks before the sound, such as
 * names of the program, are skipped. Bytes without such a header pass as they are, without a sample rate.
 */
export async function* readWavHead(body: AsyncIterable<Uint8Array>): AsyncGenerator<SpeechPiece, void, undefined> {
  let start = Buffer.alloc(0)
  let isPast = false
  for await (const piece of body) {
    if (isPast) {
      yield { audio: piece }
      continue
    }
    start = Buffer.concat([start, piece])
    const head = findHead(start)
    if (head === 'unknown') continue
    isPast = true
    yield* split(start, head)
  }
  if (!isPast && start.length > 0) yield { audio: start }
}

function* split(bytes: Buffer, head: WavHead | 'none'): Generator<SpeechPiece> {
  if (head === 'none') {
    yield { audio: bytes }
    return
  }
  yield { sampleRate: head.sampleRate }
  if (bytes.length > head.bytes) yield { audio: bytes.subarray(head.bytes) }
}

/** Finds where the sound begins; `unknown` until enough bytes are there. */
function findHead(bytes: Buffer): WavHead | 'none' | 'unknown' {
  if (!matches(bytes, 0, 'RIFF') || !matches(bytes, 8, 'WAVE')) return 'none'
  let sampleRate: number | undefined
  let place = RIFF_BYTES
  while (bytes.length >= place + CHUNK_HEAD_BYTES) {
    const name = bytes.toString('latin1', place, place + 4)
    const size = bytes.readUInt32LE(place + 4)
    const content = place + CHUNK_HEAD_BYTES
    if (name === 'data') return sampleRate === undefined ? 'none' : { sampleRate, bytes: content }
    if (content + size > MAX_HEAD_BYTES) return 'none'
    if (name === 'fmt ') {
      if (size < FORMAT_BYTES) return 'none'
      if (bytes.length < content + FORMAT_BYTES) return 'unknown'
      sampleRate = bytes.readUInt32LE(content + RATE_OFFSET)
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
