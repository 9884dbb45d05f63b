import { isLineEnd, isSpace } from './characters.ts'
import { findAll, findAllFromEnd } from './search.ts'

/** The parts between separators; at most `limit` separators count, from the left. */
export function splitText(text: string, separator: string, limit: number): string[] {
  const parts: string[] = []
  let start = 0
  for (const offset of findAll(text, separator, limit)) {
    parts.push(text.slice(start, offset))
    start = offset + separator.length
  }
  parts.push(text.slice(start))
  return parts
}

/** Like {@link splitText} with separators counted from the right. */
export function splitTextFromEnd(text: string, separator: string, limit: number): string[] {
  const parts: string[] = []
  let end = text.length
  for (const offset of findAllFromEnd(text, separator, limit)) {
    parts.push(text.slice(offset + separator.length, end))
    end = offset
  }
  parts.push(text.slice(0, end))
  return parts.reverse()
}

/** The words between runs of white space; after `limit` words the rest stays whole, with the blanks at its end. */
export function splitWords(text: string, limit: number): string[] {
  const words: string[] = []
  let index = 0
  for (;;) {
    while (index < text.length && isSpace(text.charCodeAt(index))) index++
    if (index === text.length) return words
    if (words.length >= limit) break
    const start = index
    while (index < text.length && !isSpace(text.charCodeAt(index))) index++
    words.push(text.slice(start, index))
  }
  words.push(text.slice(index))
  return words
}

/** Like {@link splitWords} counted from the right; the rest keeps the blanks at its beginning. */
export function splitWordsFromEnd(text: string, limit: number): string[] {
  const words: string[] = []
  let index = text.length
  for (;;) {
    while (index > 0 && isSpace(text.charCodeAt(index - 1))) index--
    if (index === 0) return words.reverse()
    if (words.length >= limit) break
    const end = index
    while (index > 0 && !isSpace(text.charCodeAt(index - 1))) index--
    words.push(text.slice(index, end))
  }
  words.push(text.slice(0, index))
  return words.reverse()
}

/** The lines of a text, without their ends unless `keepEnds`; a final line end starts no further line. */
export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (!isLineEnd(unit)) continue
    const end = index
    if (unit === 0x0d && text.charCodeAt(index + 1) === 0x0a) index++
    lines.push(text.slice(start, keepEnds ? index + 1 : end))
    start = index + 1
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}
