/** A piece of streamed speech: the sample rate once, first; then 16-bit little-endian mono samples. */
export type SpeechPiece = { readonly sampleRate: number } | { readonly audio: Uint8Array }

/** The size of the WAV header that instances stream; with a longer header the rest counts as sound. */
const HEAD_BYTES = 44

/**
 * Reads a WAV file while it arrives: the sample rate first, then the sound. Bytes without such a header pass as they
 * are, without a sample rate.
 */
export async function* readWavHead(body: AsyncIterable<Uint8Array>): AsyncGenerator<SpeechPiece, void, undefined> {
  let head = Buffer.alloc(0)
  let isPast = false
  for await (const piece of body) {
    if (isPast) {
      yield { audio: piece }
      continue
    }
    head = Buffer.concat([head, piece])
    if (head.length < HEAD_BYTES && mayBeWav(head)) continue
    isPast = true
    yield* split(head)
  }
  if (!isPast && head.length > 0) yield { audio: head }
}

function* split(bytes: Buffer): Generator<SpeechPiece> {
  if (!mayBeWav(bytes)) {
    yield { audio: bytes }
    return
  }
  yield { sampleRate: bytes.readUInt32LE(24) }
  if (bytes.length > HEAD_BYTES) yield { audio: bytes.subarray(HEAD_BYTES) }
}

/** Whether bytes can be the beginning of a WAV file whose sound follows right after its format. */
function mayBeWav(bytes: Buffer): boolean {
  return matches(bytes, 0, 'RIFF') && matches(bytes, 8, 'WAVEfmt ') && matches(bytes, 36, 'data')
}

function matches(bytes: Buffer, offset: number, word: string): boolean {
  const part = bytes.subarray(offset, offset + word.length).toString('latin1')
  return word.startsWith(part)
}
