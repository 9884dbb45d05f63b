import { DocumentError } from '../errors.ts'
import { createPauses } from '../pauses.ts'

const PIECE_BYTES = 262_144

/**
 * Decodes UTF-8, or UTF-16 that begins with its byte order mark. The mark is left out.
 *
 * @throws {DocumentError} `invalid_document` for bytes of no character, and for a NUL character
 */
export async function decodeText(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const encoding = findEncoding(bytes)
  const decoder = new TextDecoder(encoding, { fatal: true })
  const { pause } = createPauses(signal)
  let text = ''
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      await pause()
      text += decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true })
    }
    text += decoder.decode()
  } catch (error) {
    signal.throwIfAborted()
    throw new DocumentError('invalid_document', `the document is not ${encoding.toUpperCase()} text`, { cause: error })
  }
  if (text.includes('\0')) throw new DocumentError('invalid_document', 'the document has a NUL character')
  return text
}

function findEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
