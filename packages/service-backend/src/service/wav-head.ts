/** A piece of streamed speech: the rate once, first; then 16-bit little-endian mono samples. */
export type SpeechPiece = { readonly sampleRate: number } | { readonly audio: Uint8Array }

/** The head of the files that instances stream; longer ones are taken for sound. */
const HEAD_BYTES = 44

/**
 * The sound of a WAV file as it comes, its rate first. Bytes without the head of such a file are passed on as they are,
 * and nothing is said about their rate.
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

/** Whether bytes begin, as far as they go, like a WAV file whose sound follows right after its format. */
function mayBeWav(bytes: Buffer): boolean {
  return matches(bytes, 0, 'RIFF') && matches(bytes, 8, 'WAVEfmt ') && matches(bytes, 36, 'data')
}

function matches(bytes: Buffer, offset: number, word: string): boolean {
  const part = bytes.subarray(offset, offset + word.length).toString('latin1')
  return word.startsWith(part)
}
