/** Code point classes as Python's `str` methods see them. Every test takes one code point as text. */

const LETTER = /^\p{L}$/u
const DECIMAL = /^\p{Nd}$/u
const NUMBER = /^\p{N}$/u
const CASED = /^\p{Cased}$/u
const CASE_IGNORABLE = /^\p{Case_Ignorable}$/u
const LOWER = /^\p{Lowercase}$/u
const UPPER = /^\p{Uppercase}$/u
const HIDDEN = /^[\p{C}\p{Z}]$/u
const IDENTIFIER_START = /^\p{XIDS}$/u
const IDENTIFIER_PART = /^\p{XIDC}$/u

/** Digits that are not decimal, such as superscripts: first and last code point of each run. */
const OTHER_DIGITS: readonly (readonly [first: number, last: number])[] = [
  [0xb2, 0xb3],
  [0xb9, 0xb9],
  [0x1369, 0x1371],
  [0x19da, 0x19da],
  [0x2070, 0x2070],
  [0x2074, 0x2079],
  [0x2080, 0x2089],
  [0x2460, 0x2468],
  [0x2474, 0x247c],
  [0x2488, 0x2490],
  [0x24ea, 0x24ea],
  [0x24f5, 0x24fd],
  [0x24ff, 0x24ff],
  [0x2776, 0x277e],
  [0x2780, 0x2788],
  [0x278a, 0x2792],
  [0x10a40, 0x10a43],
  [0x10e60, 0x10e68],
  [0x11052, 0x1105a],
  [0x1f100, 0x1f10a],
]

/** Ideographs that mean numbers. */
const NUMBER_IDEOGRAPHS = new Set(
  Array.from(
    '㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零' +
      '\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd𠀁𠁤𠃢𠄡𠤪𠦃𠦌𠦜𠫪𠫽𠬙𢎐𢦘𣬛𦉭\u{2f890}',
  ),
)

/** White space as `strip`, `split` and `isspace` know it. */
export function isSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || (unit >= 0x1c && unit <= 0x1f)
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0
  if (unit >= 0x2000 && unit <= 0x200a) return true
  switch (unit) {
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return true
    default:
      return false
  }
}

/** Characters that end a line for `splitlines`. */
export function isLineEnd(unit: number): boolean {
  if (unit <= 0x1e) return (unit >= 0x0a && unit <= 0x0d) || unit >= 0x1c
  return unit === 0x85 || unit === 0x2028 || unit === 0x2029
}

export function isLetter(character: string): boolean {
  return character < '\x80' ? isAsciiLetter(character) : LETTER.test(character)
}

export function isDecimal(character: string): boolean {
  return character < '\x80' ? isAsciiDigit(character) : DECIMAL.test(character)
}

export function isDigit(character: string): boolean {
  return isDecimal(character) || isInRanges(character.codePointAt(0) ?? 0)
}

export function isNumeric(character: string): boolean {
  return character < '\x80' ? isAsciiDigit(character) : NUMBER.test(character) || NUMBER_IDEOGRAPHS.has(character)
}

export function isAlphanumeric(character: string): boolean {
  return isLetter(character) || isNumeric(character)
}

export function isCased(character: string): boolean {
  return character < '\x80' ? isAsciiLetter(character) : CASED.test(character)
}

/** Marks and signs that are skipped when looking for adjacent letters. */
export function isCaseIgnorable(character: string): boolean {
  return CASE_IGNORABLE.test(character)
}

export function isLower(character: string): boolean {
  return character < '\x80' ? character >= 'a' && character <= 'z' : LOWER.test(character)
}

export function isUpper(character: string): boolean {
  return character < '\x80' ? character >= 'A' && character <= 'Z' : UPPER.test(character)
}

/** Whether a text shows the character itself, where Python would otherwise print it as code. */
export function isPrintable(character: string): boolean {
  return character < '\x7f' ? character >= ' ' : !HIDDEN.test(character)
}

export function isIdentifierStart(character: string): boolean {
  return character < '\x80' ? isAsciiLetter(character) || character === '_' : IDENTIFIER_START.test(character)
}

export function isIdentifierPart(character: string): boolean {
  if (character >= '\x80') return IDENTIFIER_PART.test(character)
  return isAsciiLetter(character) || character === '_' || isAsciiDigit(character)
}

/** Whether `\w` matches a character. */
export function isWordCharacter(character: string): boolean {
  return character === '_' || isAlphanumeric(character)
}

/** The value of a decimal digit of any script; undefined for other characters. */
export function toDigitValue(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  if (code < 0x80 || !isDecimal(character)) return undefined
  // Decimal digits come in runs of ten, zero first; the only runs without a gap before them start at 0x1d7ce.
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10
  let zero = code
  while (isDecimal(String.fromCodePoint(zero - 1)) && code - zero < 9) zero--
  return code - zero
}

function isAsciiDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

function isAsciiLetter(character: string): boolean {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
}

function isInRanges(code: number): boolean {
  return OTHER_DIGITS.some(([first, last]) => code >= first && code <= last)
}
