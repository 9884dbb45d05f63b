/** Character classes and one-to-one case mappings as Go's `unicode` package has them. */

const LETTER = /^\p{L}$/u
const DIGIT = /^\p{Nd}$/u
const NUMBER = /^\p{N}$/u
const UPPER = /^\p{Lu}$/u
const LOWER = /^\p{Ll}$/u
const TITLE = /^\p{Lt}$/u
const PUNCTUATION = /^\p{P}$/u
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u

function matches(pattern: RegExp, rune: number): boolean {
  return pattern.test(String.fromCodePoint(rune))
}

/** `unicode.IsLetter`. */
export function isLetter(rune: number): boolean {
  if (rune < 0x80) return (rune >= 0x61 && rune <= 0x7a) || (rune >= 0x41 && rune <= 0x5a)
  return matches(LETTER, rune)
}

/** `unicode.IsDigit`: decimal digits. */
export function isDigit(rune: number): boolean {
  if (rune < 0x80) return rune >= 0x30 && rune <= 0x39
  return matches(DIGIT, rune)
}

/** `unicode.IsNumber`: digits, fractions, Roman numerals and the like. */
export function isNumber(rune: number): boolean {
  return rune < 0x80 ? isDigit(rune) : matches(NUMBER, rune)
}

/** `unicode.IsUpper`. */
export function isUpper(rune: number): boolean {
  return rune < 0x80 ? rune >= 0x41 && rune <= 0x5a : matches(UPPER, rune)
}

/** `unicode.IsLower`. */
export function isLower(rune: number): boolean {
  return rune < 0x80 ? rune >= 0x61 && rune <= 0x7a : matches(LOWER, rune)
}

/** `unicode.IsTitle`. */
export function isTitle(rune: number): boolean {
  return rune >= 0x80 && matches(TITLE, rune)
}

/** `unicode.IsPunct`. */
export function isPunctuation(rune: number): boolean {
  return matches(PUNCTUATION, rune)
}

/** `unicode.IsSpace`. */
export function isSpace(rune: number): boolean {
  if (rune < 0x80) return rune === 0x20 || (rune >= 0x09 && rune <= 0x0d)
  if (rune === 0x85 || rune === 0xa0 || rune === 0x1680) return true
  if (rune >= 0x2000 && rune <= 0x200a) return true
  return rune === 0x2028 || rune === 0x2029 || rune === 0x202f || rune === 0x205f || rune === 0x3000
}

/** `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(rune: number): boolean {
  if (rune < 0x80) return rune >= 0x20 && rune < 0x7f
  return matches(PRINTABLE, rune)
}

/** `unicode.ToUpper`: one code point to one; `ß` stays. */
export function toUpper(rune: number): number {
  if (rune < 0x80) return rune >= 0x61 && rune <= 0x7a ? rune - 0x20 : rune
  return single(String.fromCodePoint(rune).toUpperCase(), withoutIotaSubscript(rune, rune))
}

/** `unicode.ToLower`: one code point to one. */
export function toLower(rune: number): number {
  if (rune < 0x80) return rune >= 0x41 && rune <= 0x5a ? rune + 0x20 : rune
  if (rune === 0x130) return 0x69
  return single(String.fromCodePoint(rune).toLowerCase(), rune)
}

/** `unicode.ToTitle`: upper case, but for the digraphs that have a form of their own and the Georgian letters. */
export function toTitle(rune: number): number {
  if (rune >= 0x1c4 && rune <= 0x1cc) return rune - ((rune - 0x1c4) % 3) + 1
  if (rune >= 0x1f1 && rune <= 0x1f3) return 0x1f2
  if (isGeorgian(rune)) return rune
  return toUpper(rune)
}

function isGeorgian(rune: number): boolean {
  return (rune >= 0x10d0 && rune <= 0x10fa) || (rune >= 0x10fd && rune <= 0x10ff)
}

function single(mapped: string, otherwise: number): number {
  const rune = mapped.codePointAt(0)
  if (rune === undefined || mapped.length !== (rune > 0xffff ? 2 : 1)) return otherwise
  return rune
}

/** Greek letters with iota subscript: full mapping gives two letters, Go's table the title case letter. */
function withoutIotaSubscript(rune: number, otherwise: number): number {
  const inRows = rune >= 0x1f80 && rune <= 0x1faf && (rune & 0xf) < 8
  if (inRows) return rune + 8
  if (rune === 0x1fb3 || rune === 0x1fc3 || rune === 0x1ff3) return rune + 9
  return otherwise
}
