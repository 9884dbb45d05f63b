import type { Rendering } from '../rendering.ts'
import { isPrintable } from './characters.ts'

/** A text as Python code: single quotes unless they must be escaped, invisible characters as codes. */
export function quoteText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  let result = quote
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x20 && unit < 0x7f && unit !== 0x5c && text[index] !== quote) continue
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0)
    const escaped = escapeCharacter(character, quote)
    if (escaped !== undefined) {
      result += text.slice(start, index) + escaped
      start = index + character.length
    }
    index += character.length - 1
  }
  return result + text.slice(start) + quote
}

/** A text with codes for everything beyond ASCII. */
export function toAscii(run: Rendering, text: string): string {
  run.walk(text.length)
  let result = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    result += code < 0x80 ? character : toEscape(code)
  }
  return run.built(result)
}

/** Bytes as Python code. */
export function quoteBytes(bytes: Uint8Array): string {
  const quote = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'"
  let result = ''
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    if (byte >= 0x20 && byte < 0x7f && byte !== 0x5c && character !== quote) result += character
    else result += escapeControl(byte) ?? (byte === 0x5c || character === quote ? `\\${character}` : toEscape(byte))
  }
  return `b${quote}${result}${quote}`
}

function escapeCharacter(character: string, quote: string): string | undefined {
  if (character === quote || character === '\\') return `\\${character}`
  if (isPrintable(character)) return undefined
  const code = character.codePointAt(0) ?? 0
  return escapeControl(code) ?? toEscape(code)
}

function escapeControl(code: number): string | undefined {
  if (code === 0x0a) return '\\n'
  if (code === 0x0d) return '\\r'
  return code === 0x09 ? '\\t' : undefined
}

function toEscape(code: number): string {
  if (code < 0x100) return `\\x${toHex(code, 2)}`
  return code < 0x10000 ? `\\u${toHex(code, 4)}` : `\\U${toHex(code, 8)}`
}

function toHex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
