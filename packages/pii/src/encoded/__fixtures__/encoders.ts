import type { Encoding } from '../encodings.ts'

/** Named encoders for each form that an encoding must read. */
export const ENCODERS: readonly { readonly name: string; readonly encoding: Encoding; encode(text: string): string }[] = [
  { name: 'base64', encoding: 'base64', encode: toBase64 },
  { name: 'base64 without padding', encoding: 'base64', encode: (text) => toBase64(text).replace(/=+$/, '') },
  { name: 'base64 for addresses', encoding: 'base64', encode: (text) => toUrlBase64(toBase64(text)) },
  { name: 'base64 in lines', encoding: 'base64', encode: (text) => inLines(toBase64(text), 24, '\n') },
  { name: 'base64 in indented lines', encoding: 'base64', encode: (text) => inLines(toBase64(text), 28, '\r\n  ') },
  { name: 'base64 in lines of a string', encoding: 'base64', encode: (text) => inLines(toBase64(text), 32, '\\n') },
  { name: 'hex', encoding: 'hex', encode: toHex },
  { name: 'hex in capitals', encoding: 'hex', encode: (text) => toHex(text).toUpperCase() },
  { name: 'hex in lines', encoding: 'hex', encode: (text) => inLines(toHex(text), 26, '\n') },
  { name: 'percent signs for all', encoding: 'percent', encode: (text) => toHex(text).replace(/../g, '%$&') },
  { name: 'percent signs for all but letters', encoding: 'percent', encode: percentForOthers },
  { name: 'references by number', encoding: 'html', encode: (text) => byCharacter(text, (code) => `&#${code};`) },
  {
    name: 'references in hex without their ends',
    encoding: 'html',
    encode: (text) => byCharacter(text, (code) => `&#x${code.toString(16).padStart(6, '0')}`),
  },
  { name: 'references by name', encoding: 'html', encode: (text) => text.replaceAll('-', '&#45;').replaceAll(/[ :.@_/+=]/g, named) },
  { name: 'reversed', encoding: 'reversed', encode: (text) => [...text].reverse().join('') },
]

function toBytes(text: string): number[] {
  return [...new TextEncoder().encode(text)]
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...toBytes(text)))
}

function toUrlBase64(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

function toHex(text: string): string {
  return toBytes(text)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

function percentForOthers(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/gu, (character) => toHex(character).replace(/../g, '%$&'))
}

function byCharacter(text: string, write: (code: number) => string): string {
  return [...text].map((character) => write(character.codePointAt(0) ?? 0)).join('')
}

const NAMES: Readonly<Record<string, string>> = {
  ' ': 'nbsp',
  ':': 'colon',
  '.': 'period',
  '@': 'commat',
  _: 'lowbar',
  '/': 'sol',
  '+': 'plus',
  '=': 'equals',
}

function named(character: string): string {
  return `&${NAMES[character]};`
}

function inLines(text: string, length: number, lineBreak: string): string {
  return (text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).join(lineBreak)
}
