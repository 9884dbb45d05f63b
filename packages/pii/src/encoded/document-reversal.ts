import type { ScanDocument } from '../detector.ts'
import { isLowSurrogate } from '../pattern/code-set.ts'
import type { Span } from '../span.ts'
import { STEP_CHARACTERS } from './reading.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Reverses a document in steps: its text character by character, its segments and messages from the last to the first.
 */
export class DocumentReversal {
  readonly #source: ScanDocument
  readonly #pieces: string[] = []
  /** The text before this offset is still to be reversed. */
  #rest: number

  constructor(source: ScanDocument) {
    this.#source = source
    this.#rest = source.text.length
  }

  /** Does one step. @returns whether it was the last */
  advance(): boolean {
    const { text } = this.#source
    let start = Math.max(0, this.#rest - STEP_CHARACTERS)
    // A surrogate pair stays in one piece.
    if (isLowSurrogate(text.charCodeAt(start))) start -= 1
    this.#pieces.push(reverse(text.slice(start, this.#rest)))
    this.#rest = start
    return start === 0
  }

  /** Returns the reversed document, after all steps. */
  document(): ScanDocument {
    const { text, segments, messages } = this.#source
    return {
      text: this.#pieces.join(''),
      segments: segments.map((segment) => mirror(segment, text.length)).reverse(),
      messages: messages.map((message) => mirror(message, segments.length)).reverse(),
    }
  }

  /** Converts a range of the reversed document to one of the original. */
  toDocument(range: Span): Span {
    return mirror(range, this.#source.text.length)
  }
}

function mirror({ start, end }: Span, length: number): Span {
  return { start: length - end, end: length - start }
}

/** Reverses all bytes with the engine's own method, and then the bytes of each longer character again. */
function reverse(piece: string): string {
  const bytes = encoder.encode(piece).reverse()
  const isAscii = bytes.length === piece.length
  for (let at = 0; !isAscii && at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue
    const first = at
    // The first byte of a character, which comes last now, is C0 or above.
    while ((bytes[at] ?? 0xff) < 0xc0) at++
    bytes.subarray(first, at + 1).reverse()
  }
  return decoder.decode(bytes)
}
