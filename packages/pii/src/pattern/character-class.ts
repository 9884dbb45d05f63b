import {
  type CodeSet,
  complement,
  DIGIT,
  isHighSurrogate,
  isLowSurrogate,
  SPACE,
  toCodeSet,
  toRanges,
  WORD,
} from './code-set.ts'
import { PatternSyntaxError } from './errors.ts'

const CLASS_ESCAPES: Readonly<Record<string, CodeSet>> = {
  d: DIGIT,
  w: WORD,
  s: SPACE,
  D: complement(DIGIT),
  W: complement(WORD),
  S: complement(SPACE),
}

const CONTROL_ESCAPES: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d }

/** The meaning of a backslash escape: a set of characters, or one character. */
export interface EscapeResult {
  readonly set: CodeSet | undefined
  /** The character, without a set. */
  readonly code: number
  /** Offset after the escape. */
  readonly end: number
}

/** Reads the escape at a backslash. @throws PatternSyntaxError for an unknown escape */
export function readClassEscape(source: string, at: number): EscapeResult {
  const char = source.charAt(at + 1)
  const end = at + 2
  const set = CLASS_ESCAPES[char]
  if (set !== undefined) return { set, code: 0, end }
  const control = CONTROL_ESCAPES[char]
  if (control !== undefined) return { set: undefined, code: control, end }
  if (char === '') throw new PatternSyntaxError('the pattern ends in a backslash', at)
  const code = char.charCodeAt(0)
  const isAlphanumeric =
    (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  if (isAlphanumeric || code < 0x20 || code > 0x7e) throw new PatternSyntaxError(`"\\${char}" is not allowed`, at)
  return { set: undefined, code, end }
}

/** Reads the class that begins at `[`. @throws PatternSyntaxError for an invalid one */
export function readClass(source: string, start: number): { readonly set: CodeSet; readonly end: number } {
  const negated = source.charAt(start + 1) === '^'
  const first = start + (negated ? 2 : 1)
  const ranges: [number, number][] = []
  let at = first
  for (;;) {
    if (at >= source.length) throw new PatternSyntaxError('the class is not closed', start)
    if (source.charAt(at) === ']' && at > first) break
    if (source.startsWith('[:', at)) throw new PatternSyntaxError('named classes are not allowed', at)
    const low = readMember(source, at)
    at = low.end
    if (low.set !== undefined) {
      ranges.push(...toRanges(low.set))
      continue
    }
    if (source.charAt(at) !== '-' || source.charAt(at + 1) === ']' || at + 1 >= source.length) {
      ranges.push([low.code, low.code])
      continue
    }
    const high = readMember(source, at + 1)
    if (high.set !== undefined) throw new PatternSyntaxError('a range cannot end in a class', at)
    if (high.code < low.code) throw new PatternSyntaxError('the range is the wrong way round', at)
    ranges.push([low.code, high.code])
    at = high.end
  }
  const set = toCodeSet(ranges)
  return { set: negated ? complement(set) : set, end: at + 1 }
}

function readMember(source: string, at: number): EscapeResult {
  if (source.charAt(at) === '\\') return readClassEscape(source, at)
  const code = source.codePointAt(at) ?? 0
  if (isHighSurrogate(code) || isLowSurrogate(code)) {
    throw new PatternSyntaxError('half of a surrogate pair stands alone', at)
  }
  return { set: undefined, code, end: at + (code > 0xffff ? 2 : 1) }
}
