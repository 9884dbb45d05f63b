import type { Grammar } from './grammar.ts'

/**
 * Finds the place in a broken call where another call may begin: the first opening marker, or JSON at the beginning of
 * a line. A model that forgets an end marker or a quote writes its next call into the broken one.
 *
 * @returns the offset; undefined if no call begins
 */
export function findNextCall(text: string, from: number, grammar: Grammar): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (!grammar.triggers.has(text.charCodeAt(at))) continue
    if (grammar.openingLiterals.some((literal) => text.startsWith(literal, at))) return at
    if (grammar.takesBareJson && isJsonAtLineStart(text, at)) return at
  }
  return undefined
}

/** Indented JSON belongs to the value around it. */
function isJsonAtLineStart(text: string, at: number): boolean {
  const letter = text[at]
  return text[at - 1] === '\n' && (letter === '{' || letter === '[')
}
