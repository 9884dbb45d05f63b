import { isAscii, mapRunes, runeAt, runes } from './bytes.ts'
import { isSpace, toLower, toUpper } from './unicode.ts'

/** `strings.TrimSpace`. */
export function trimSpace(bytes: string): string {
  return trimWhere(bytes, isSpace)
}

/** `strings.Trim`: removes code points of the set at both ends. */
export function trimSet(bytes: string, set: string): string {
  const members = new Set(Array.from(runes(set), (rune) => rune.value))
  return trimWhere(bytes, (rune) => members.has(rune))
}

function trimWhere(bytes: string, drop: (rune: number) => boolean): string {
  let start = 0
  while (start < bytes.length) {
    const rune = runeAt(bytes, start)
    if (!drop(rune.value)) break
    start += rune.size
  }
  let end = bytes.length
  while (end > start) {
    const at = lastRuneStart(bytes, start, end)
    if (!drop(runeAt(bytes, at).value)) break
    end = at
  }
  return bytes.slice(start, end)
}

/** The start of the last code point before `end`. */
function lastRuneStart(bytes: string, start: number, end: number): number {
  for (let at = end - 1; at >= start && at >= end - 4; at--) {
    if ((bytes.charCodeAt(at) & 0xc0) !== 0x80) return at + runeAt(bytes, at).size === end ? at : end - 1
  }
  return end - 1
}

/** `strings.ToUpper`. */
export function upperCase(bytes: string): string {
  return isAscii(bytes) ? bytes.toUpperCase() : mapRunes(bytes, toUpper)
}

/** `strings.ToLower`. */
export function lowerCase(bytes: string): string {
  return isAscii(bytes) ? bytes.toLowerCase() : mapRunes(bytes, toLower)
}

/** Counts a text in another, without overlaps; returns 0 for an empty one. */
export function countOccurrences(bytes: string, part: string): number {
  if (part === '') return 0
  let count = 0
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + part.length)) count++
  return count
}

/** The code points of a text, each as a byte string, as splitting at `""` gives. */
export function explode(bytes: string, most = Number.POSITIVE_INFINITY): string[] {
  const parts: string[] = []
  let at = 0
  while (at < bytes.length) {
    if (parts.length === most - 1) {
      parts.push(bytes.slice(at))
      break
    }
    const { size } = runeAt(bytes, at)
    parts.push(bytes.slice(at, at + size))
    at += size
  }
  return parts
}

/** `strings.SplitN`: at most `most` parts, the last one with the rest; all of them when `most` is negative. */
export function splitAt(bytes: string, separator: string, most = -1): string[] {
  if (most === 0) return []
  if (separator === '') return explode(bytes, most < 0 ? undefined : most)
  const parts: string[] = []
  let from = 0
  while (most < 0 || parts.length < most - 1) {
    const at = bytes.indexOf(separator, from)
    if (at < 0) break
    parts.push(bytes.slice(from, at))
    from = at + separator.length
  }
  parts.push(bytes.slice(from))
  return parts
}
