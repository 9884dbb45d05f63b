/** Breaks of a text, the strongest kind first. Each pattern ends where the next chunk may begin. */
const BREAKS: readonly RegExp[] = [
  // before a heading
  /\n(?=#{1,6} )/gu,
  // after a paragraph
  /\n[ \t\r]*\n\s*/gu,
  // after a sentence or a line
  /[.!?…]["'”’)\]]*\s+|[。！？]|\n+/gu,
  // after a word
  /\s+/gu,
]
/** Characters before a place that decide whether a grapheme ends there. */
const CONTEXT = 64

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Finds the last place of the strongest break in a part of a text.
 *
 * @param from the place is after it
 * @param to the place is at most there
 * @returns undefined where the part has no break
 */
export function findBreak(text: string, from: number, to: number): number | undefined {
  // The break before a heading is seen only with the heading.
  const part = text.slice(from, to + '###### '.length)
  for (const pattern of BREAKS) {
    let last: number | undefined
    for (const found of part.matchAll(pattern)) {
      const end = from + found.index + found[0].length
      if (end > to) break
      if (end > from) last = end
    }
    if (last !== undefined && isCharacterEdge(text, last)) return last
  }
  return undefined
}

/** Gives the last place at or before `at`, and after `from`, that splits no grapheme. A huge one is split. */
export function snapBack(text: string, from: number, at: number): number {
  if (at >= text.length) return text.length
  const start = findContext(text, from, at)
  const { index } = segmenter.segment(text.slice(start, at + CONTEXT)).containing(at - start) ?? { index: at - start }
  if (start + index > from) return start + index
  const edge = isCharacterEdge(text, at) ? at : at - 1
  return edge > from ? edge : edge + 2
}

/** Gives the first place at or after `at` that splits no grapheme; at most `to`. */
export function snapForward(text: string, at: number, to: number): number {
  if (at <= 0 || at >= to) return Math.min(Math.max(at, 0), to)
  const start = findContext(text, 0, at)
  const found = segmenter.segment(text.slice(start, to)).containing(at - start)
  if (found === undefined || start + found.index === at) return at
  return Math.min(to, start + found.index + found.segment.length)
}

/** Finds a place before `at` from which graphemes can be counted: before a blank, where there is one. */
function findContext(text: string, from: number, at: number): number {
  const least = Math.max(from, at - CONTEXT)
  for (let place = at; place > least; place -= 1) {
    const unit = text.charCodeAt(place)
    // a blank or a line feed, which no grapheme has before its end
    if ((unit === 0x20 || unit === 0x0a) && text.charCodeAt(place - 1) !== 0x0d) return place
  }
  return isCharacterEdge(text, least) ? least : least + 1
}

/** Whether a place is not inside of a surrogate pair. */
function isCharacterEdge(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return !(before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000)
}
