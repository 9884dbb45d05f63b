import { type FunctionTable, fixed, walking } from '../function.ts'

/** Shortening with dots and wrapping into lines; widths count bytes. */
export const SHORTEN_FUNCTIONS: FunctionTable = walking({
  abbrev: fixed(['int', 'string'], (_, width, text) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: fixed(['int', 'int', 'string'], (_, left, width, text) =>
    width < 4 || (left > 0 && width < 7) ? text : abbreviate(text, left, width),
  ),
  wrap: fixed(['int', 'string'], (_, width, text) => wrap(text, { width, separator: '\n', breaksWords: false })),
  wrapWith: fixed(['int', 'string', 'string'], (_, width, separator, text) =>
    wrap(text, { width, separator: separator === '' ? '\n' : separator, breaksWords: true }),
  ),
})

const DOTS = '...'

/** Cuts to a width from an offset on; dots replace the removed text. */
function abbreviate(text: string, offset: number, width: number): string {
  if (text.length <= width) return text
  const kept = width - DOTS.length
  const start = Math.min(offset, text.length, text.length - kept)
  if (start <= 4) return text.slice(0, kept) + DOTS
  if (start + kept >= text.length) return DOTS + text.slice(-kept)
  const middle = text.slice(start)
  return DOTS + (kept < 4 ? '' : abbreviate(middle, 0, kept))
}

interface WrapOptions {
  readonly width: number
  readonly separator: string
  /** Whether a word longer than a line is broken. */
  readonly breaksWords: boolean
}

/** Breaks at the last blank that fits; blanks at the start of a line are dropped. */
function wrap(text: string, options: WrapOptions): string {
  const width = Math.max(options.width, 1)
  const lines: string[] = []
  let at = 0
  while (text.length - at > width) {
    if (text.charAt(at) === ' ') {
      at++
      continue
    }
    const end = lineEnd(text, at, width, options.breaksWords)
    if (end < 0) break
    lines.push(text.slice(at, end))
    at = text.charAt(end) === ' ' ? end + 1 : end
  }
  lines.push(text.slice(at))
  return lines.join(options.separator)
}

/** The end of the line that begins at `at`; -1 without an end. */
function lineEnd(text: string, at: number, width: number, breaksWords: boolean): number {
  const blank = text.slice(at, at + width + 1).lastIndexOf(' ')
  if (blank >= 0) return at + blank
  return breaksWords ? at + width : text.indexOf(' ', at + width)
}
