import type { ScanDocument } from '../detector.ts'
import { isLowSurrogate } from '../pattern/code-set.ts'
import type { Span } from '../span.ts'
import { STEP_CHARACTERS } from './reading.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Turns a document round in steps: its text character by character, its segments and messages from the last to the first. */
export class DocumentReversal {
  readonly #source: ScanDocument
  readonly #pieces: string[] = []
  /** What stands before it is still to be turned. */
  #rest: number

  constructor(source: ScanDocument) {
    this.#source = source
    this.#rest = source.text.length
  }

  /** Does one step. @returns whether it was the last */
  advance(): boolean {
    const { text } = this.#source
    let start = Math.max(0, this.#rest - STEP_CHARACTERS)
    // A pair stays in one piece.
    if (isLowSurrogate(text.charCodeAt(start))) start -= 1
    this.#pieces.push(reverse(text.slice(start, this.#rest)))
    this.#rest = start
    return start === 0
  }

  /** The document turned round. To be called once all steps are done. */
  document(): ScanDocument {
    const { text, segments, messages } = this.#source
    return {
      text: this.#pieces.join(''),
      segments: segments.map((segment) => mirror(segment, text.length)).reverse(),
      messages: messages.map((message) => mirror(message, segments.length)).reverse(),
    }
  }

  /** Where a range of the document that was turned round lies in the original. */
  toDocument(range: Span): Span {
    return mirror(range, this.#source.text.length)
  }
}

function mirror({ start, end }: Span, length: number): Span {
  return { start: length - end, end: length - start }
}

/** Turns bytes round, which the engine does itself, and those of each longer character round again. */
function reverse(piece: string): string {
  const bytes = encoder.encode(piece).reverse()
  const isAscii = bytes.length === piece.length
  for (let at = 0; !isAscii && at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue
    const first = at
    // The byte that a character begins with, and comes last now, is one from C0 on.
    while ((bytes[at] ?? 0xff) < 0xc0) at++
    bytes.subarray(first, at + 1).reverse()
  }
  return decoder.decode(bytes)
}
