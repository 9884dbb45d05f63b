const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\n', ''],
])

const CODE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

/**
 * The text of a literal; `source` is the part between its quotes. Unknown escapes stay as they are. Undefined for a
 * malformed escape.
 */
export function readStringLiteral(source: string): string | undefined {
  let result = ''
  let start = 0
  for (let index = source.indexOf('\\'); index >= 0; index = source.indexOf('\\', start)) {
    const read = readEscape(source, index + 1)
    if (read === undefined) return undefined
    result += source.slice(start, index) + read.text
    start = read.end
  }
  return result + source.slice(start)
}

interface Escape {
  readonly text: string
  readonly end: number
}

function readEscape(source: string, index: number): Escape | undefined {
  const character = String.fromCodePoint(source.codePointAt(index) ?? 0)
  const end = index + character.length
  const simple = SIMPLE.get(character)
  if (simple !== undefined) return { text: simple, end }
  if (character >= '0' && character <= '7') return readOctal(source, index)
  const length = CODE_LENGTHS.get(character)
  if (length !== undefined) return readCode(source.slice(end, end + length), { length, end })
  // Names of characters would require the table of all of them.
  if (character === 'N') return undefined
  return { text: `\\${character < '\x80' ? character : toPythonEscape(character)}`, end }
}

function readOctal(source: string, index: number): Escape {
  let end = index
  let code = 0
  while (end < index + 3) {
    const digit = source.charCodeAt(end) - 0x30
    if (!(digit >= 0 && digit <= 7)) break
    code = code * 8 + digit
    end++
  }
  return { text: String.fromCodePoint(code), end }
}

function readCode(digits: string, { length, end }: { length: number; end: number }): Escape | undefined {
  if (digits.length < length) return undefined
  let code = 0
  for (const digit of digits) {
    const value = '0123456789abcdef'.indexOf(digit.toLowerCase())
    if (value < 0) return undefined
    code = code * 16 + value
  }
  return code <= 0x10ffff ? { text: String.fromCodePoint(code), end: end + length } : undefined
}

/** After a lone backslash, a character beyond ASCII shows as the escape that the reference turns it into first. */
function toPythonEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x100) return `x${code.toString(16).padStart(2, '0')}`
  if (code < 0x10000) return `u${code.toString(16).padStart(4, '0')}`
  return `U${code.toString(16).padStart(8, '0')}`
}
