import { runeAt } from './bytes.ts'
import { isPrintable } from './unicode.ts'

const HTML: ReadonlyMap<string, string> = new Map([
  ['\0', '\xef\xbf\xbd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
])

/** `html`: the characters that mean something in HTML, as entities. */
export function escapeHtml(bytes: string): string {
  return replaceEach(bytes, (char) => HTML.get(char))
}

const JAVASCRIPT: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
  ['<', '\\u003C'],
  ['>', '\\u003E'],
  ['&', '\\u0026'],
  ['=', '\\u003D'],
])

/** `js`: safe inside a JavaScript string. */
export function escapeJavaScript(bytes: string): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const { value, size } = runeAt(bytes, at)
    const source = bytes.slice(at, at + size)
    if (value < 0x80) parts.push(JAVASCRIPT.get(source) ?? (value < 0x20 ? unicodeEscape(value) : source))
    else parts.push(isPrintable(value) ? source : unicodeEscape(value))
    at += size
  }
  return parts.join('')
}

function unicodeEscape(rune: number): string {
  return `\\u${rune.toString(16).toUpperCase().padStart(4, '0')}`
}

const QUERY_PLAIN = /[A-Za-z0-9\-_.~]/

/** `urlquery`: percent-encoded, blanks as `+`. */
export function escapeQuery(bytes: string): string {
  return replaceEach(bytes, (char) => {
    if (QUERY_PLAIN.test(char)) return undefined
    return char === ' ' ? '+' : percentEncode(char)
  })
}

/** One byte as `%XX`. */
export function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

function replaceEach(bytes: string, replace: (char: string) => string | undefined): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes.charAt(at)
    parts.push(replace(char) ?? char)
  }
  return parts.join('')
}
