import { isAscii, runeAt, runeBytes } from './bytes.ts'
import { isPrintable } from './unicode.ts'

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
])
const NAMES: ReadonlyMap<number, string> = new Map([...ESCAPES].map(([name, char]) => [char.charCodeAt(0), name]))
const HEX = /^[0-9a-fA-F]+$/
const OCTAL = /^[0-7]{3}$/

/** One character of a Go literal: its bytes, its code point and where the next begins. */
interface Unquoted {
  readonly bytes: string
  readonly rune: number
  readonly end: number
}

/** The bytes of a quoted or raw string literal with its quotes; undefined when it is not Go syntax. */
export function unquote(literal: string): string | undefined {
  const quote = literal.charAt(0)
  const body = literal.slice(1, -1)
  if (quote === '`') return body.replaceAll('\r', '')
  if (!body.includes('\\')) return body
  const parts: string[] = []
  for (let at = 0; at < body.length; ) {
    const next = unquoteCharacter(body, at, quote)
    if (next === undefined) return undefined
    parts.push(next.bytes)
    at = next.end
  }
  return parts.join('')
}

/** The code point of a character literal with its quotes; undefined when it is not Go syntax. */
export function unquoteRune(literal: string): number | undefined {
  const body = literal.slice(1, -1)
  if (body === '') return undefined
  const character = unquoteCharacter(body, 0, "'")
  return character?.end === body.length ? character.rune : undefined
}

function unquoteCharacter(body: string, at: number, quote: string): Unquoted | undefined {
  const char = body.charAt(at)
  if (char === quote) return undefined
  if (char !== '\\') {
    const rune = runeAt(body, at)
    return { bytes: body.slice(at, at + rune.size), rune: rune.value, end: at + rune.size }
  }
  const name = body.charAt(at + 1)
  if (name === quote) return { bytes: quote, rune: quote.charCodeAt(0), end: at + 2 }
  const simple = ESCAPES.get(name)
  if (simple !== undefined) return { bytes: simple, rune: simple.charCodeAt(0), end: at + 2 }
  return numericEscape(body, at, name)
}

function numericEscape(body: string, at: number, name: string): Unquoted | undefined {
  const octal = body.slice(at + 1, at + 4)
  if (OCTAL.test(octal)) {
    const value = Number.parseInt(octal, 8)
    return value > 255 ? undefined : { bytes: String.fromCharCode(value), rune: value, end: at + 4 }
  }
  const length = name === 'x' ? 2 : name === 'u' ? 4 : name === 'U' ? 8 : 0
  const digits = body.slice(at + 2, at + 2 + length)
  if (length === 0 || digits.length < length || !HEX.test(digits)) return undefined
  const value = Number.parseInt(digits, 16)
  if (name === 'x') return { bytes: String.fromCharCode(value), rune: value, end: at + 4 }
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return undefined
  return { bytes: runeBytes(value), rune: value, end: at + 2 + length }
}

/** A double-quoted Go literal of a byte string; with `ascii` everything beyond ASCII is escaped. */
export function quoteString(bytes: string, ascii = false): string {
  const parts: string[] = ['"']
  let plain = 0
  for (let at = 0; at < bytes.length; ) {
    const rune = runeAt(bytes, at)
    const escaped = escapeRune(rune.value, rune.size, bytes.charCodeAt(at), '"', ascii)
    if (escaped !== undefined) {
      parts.push(bytes.slice(plain, at), escaped)
      plain = at + rune.size
    }
    at += rune.size
  }
  parts.push(bytes.slice(plain), '"')
  return parts.join('')
}

/** A single-quoted Go literal of a code point. */
export function quoteRune(value: number, ascii = false): string {
  const isCharacter = value >= 0 && value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff)
  const rune = isCharacter ? value : 0xfffd
  return `'${escapeRune(rune, 3, 0, "'", ascii) ?? runeBytes(rune)}'`
}

/** Whether a text can be written between backquotes: no backquote, no control character but the tab. */
export function canBackquote(bytes: string): boolean {
  for (let at = 0; at < bytes.length; ) {
    const { value, size } = runeAt(bytes, at)
    if (size === 1 && (value === 0xfffd || value === 0x60 || value === 0x7f)) return false
    if (value === 0xfeff || (value < 0x20 && value !== 0x09)) return false
    at += size
  }
  return true
}

function escapeRune(rune: number, size: number, byte: number, quote: string, ascii: boolean): string | undefined {
  if (rune === 0xfffd && size === 1) return `\\x${hex(byte, 2)}`
  if (rune === quote.charCodeAt(0)) return `\\${quote}`
  if (rune === 0x5c) return '\\\\'
  if (isPrintable(rune) && (rune < 0x80 || !ascii)) return undefined
  const name = NAMES.get(rune)
  if (name !== undefined) return `\\${name}`
  if (rune < 0x20 || rune === 0x7f) return `\\x${hex(rune, 2)}`
  return rune > 0xffff ? `\\U${hex(rune, 8)}` : `\\u${hex(rune, 4)}`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** A short quoted piece of a template's source for an error message. */
export function excerpt(source: string): string {
  const short = source.length > 30 ? `${source.slice(0, 27)}...` : source
  return isAscii(short) ? JSON.stringify(short) : quoteString(short, true)
}
