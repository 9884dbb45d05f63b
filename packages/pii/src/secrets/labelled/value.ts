import type { Span } from '../../span.ts'

/** A value behind a label. */
export interface Value extends Span {
  /** The value. */
  readonly text: string
  /** Whether marks of quotation are around it. */
  readonly isQuoted: boolean
}

/** Longest value. */
const LONGEST = 600
/** Closing marks by their opening ones. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“”',
  '‘': '’',
  '‚': '‘’',
  '«': '»',
  '»': '«',
  '「': '」',
  '『': '』',
}
/** Marks of Markdown, letters that programs write before a text, and an escape of the mark of quotation. */
const BEFORE_VALUE = /(?:\*\*|__|[bBrRuULf@$]{1,2}(?=["'])|~c(?=["']))?\\?/y
/**
 * A value without marks of quotation: up to a blank, a mark of quotation that no letter or digit follows, a tag, an
 * escaped line break, the next part of a web form or the next setting in a row.
 */
const BARE =
  /(?:[^\s"'`“”«»「」『』<\\&;,，。；]|<(?!\/|[A-Za-z][A-Za-z0-9]{0,12}[ />])|\\(?![nrt"'])|&(?!(?:amp;)?[A-Za-z_][\w.-]{0,40}=|(?:lt|gt|quot|nbsp);)|(?<![\s:=>"'`])["'`]{1,4}(?=[A-Za-z0-9])|[;,](?!["']?[A-Za-z_][\w.-]{0,40}(?: [\w.-]{1,20}){0,2}["']? ?[:=]))+/y

/** Reads the value that begins at an offset. Without a closing mark of quotation it reads on as without an opening one. */
export function readValue(text: string, at: number): Value | undefined {
  BEFORE_VALUE.lastIndex = at
  const lead = BEFORE_VALUE.exec(text)?.[0].length ?? 0
  const open = text.charAt(at + lead)
  const close = QUOTES[open]
  if (close === undefined) return readBare(text, text.startsWith('\\', at + lead - 1) ? at + lead - 1 : at + lead)
  let start = at + lead + 1
  if (text.charAt(start) === open) {
    if (text.charAt(start + 1) !== open) return undefined
    start += 2
  }
  const isEscaped = text.charAt(at + lead - 1) === '\\'
  const end = quoteEnd(text, start, close, isEscaped)
  if (end === undefined) return readBare(text, start)
  return end > start ? { start, end, text: text.slice(start, end), isQuoted: true } : undefined
}

/** Reads a value without marks of quotation. */
export function readBare(text: string, at: number): Value | undefined {
  // The slice bounds what a search from one place reads.
  const piece = text.slice(at, at + LONGEST)
  BARE.lastIndex = 0
  const found = trimEnd(BARE.exec(piece)?.[0] ?? '')
  return found === '' ? undefined : { start: at, end: at + found.length, text: found, isQuoted: false }
}

function quoteEnd(text: string, from: number, close: string, isEscaped: boolean): number | undefined {
  const limit = Math.min(text.length, from + LONGEST)
  for (let at = from; at < limit; at++) {
    const char = text.charAt(at)
    if (char === '\n' || char === '\r') return undefined
    if (char === '\\') {
      if (isEscaped && close.includes(text.charAt(at + 1))) return at
      at++
    } else if (close.includes(char)) {
      const inside = doubledEnd(text, at, char)
      if (inside === undefined) return at
      at = inside - 1
    }
  }
  return undefined
}

/** The end of a doubled mark inside of a value, as SQL and YAML write one; undefined for the mark that ends it. */
function doubledEnd(text: string, from: number, mark: string): number | undefined {
  let end = from
  while (text.charAt(end) === mark) end++
  return (end - from) % 2 === 0 && /[A-Za-z0-9]/.test(text.charAt(end)) ? end : undefined
}

const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Drops what belongs to the sentence or to the code around a value. */
function trimEnd(value: string): string {
  let end = value.endsWith('**') ? value.length - 2 : value.length
  for (; end > 0; end--) {
    const last = value.charAt(end - 1)
    const opening = OPENING[last]
    if (opening !== undefined) {
      if (value.slice(0, end - 1).includes(opening)) break
    } else if (!'.,;:?'.includes(last)) break
  }
  return value.slice(0, end)
}
