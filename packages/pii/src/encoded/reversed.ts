import { isLowSurrogate } from '../pattern/code-set.ts'
import { type Reading, STEP_CHARACTERS, type Steps } from './reading.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A text from its end to its start, character by character. The text has no lone halves of surrogate pairs. */
export function* readReversed(text: string): Steps<Reading> {
  const pieces: string[] = []
  const { length } = text
  for (let end = length; end > 0; ) {
    let start = Math.max(0, end - STEP_CHARACTERS)
    // A pair stays in one piece.
    if (isLowSurrogate(text.charCodeAt(start))) start -= 1
    pieces.push(reverse(text.slice(start, end)))
    end = start
    yield undefined
  }
  if (length > 0) {
    yield {
      text: pieces.join(''),
      toSource: ({ start, end }) => ({ start: length - end, end: length - start }),
    }
  }
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
