/** Offsets in JSON text without parsing it; each byte may be one character. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20

/** Whether a character begins a string. */
export function isQuote(code: number): boolean {
  return code === QUOTE
}

/** Change of the depth at a character outside of strings. */
export function depthChange(code: number): number {
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return 1
  return code === CLOSE_BRACE || code === CLOSE_BRACKET ? -1 : 0
}

/** Outside of strings, JSON's blanks are the only characters up to the space. */
export function skipBlanks(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at += 1
  return at
}

/** The offset after a string; past the end for an unclosed one. */
export function findStringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 1) return at + 1
  }
  return text.length + 1
}
