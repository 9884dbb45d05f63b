import type { Encoding } from './encodings.ts'
import { EscapedView } from './escaped-view.ts'
import { isHexDigit, toHexValue } from './hex-digits.ts'
import { findNamedCharacter, findNumberedCharacter } from './html-entities.ts'
import { type Reading, STEP_CHARACTERS, type Steps } from './reading.ts'

/**
 * The first of some percent-encoded bytes; a character reference of HTML, by its number after any number of zeros, or
 * by its name.
 */
const PERCENT = '%[0-9A-Fa-f]{2}'
const HTML = '&(?:#0*([0-9]{1,7})|#[xX]0*([0-9A-Fa-f]{1,6})|([A-Za-z]{2,12})(?=;));?'

/** Expressions of the escapes for the requested encodings. */
const ESCAPES = {
  percent: new RegExp(PERCENT, 'g'),
  html: new RegExp(HTML, 'g'),
  both: new RegExp(`${PERCENT}|${HTML}`, 'g'),
}

/** Characters of a percent-encoded byte. */
const WRITTEN_BYTE = 3

// Invalid bytes become replacement characters, and hide nothing beside them.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Whether a text may contain escapes, by their first characters. */
export function mayHaveEscapes(text: string, encodings: ReadonlySet<Encoding>): boolean {
  return (encodings.has('percent') && text.includes('%')) || (encodings.has('html') && text.includes('&'))
}

/** Decodes the escapes of a text once; yields nothing without any. */
export function* readEscapes(text: string, encodings: ReadonlySet<Encoding>): Steps<Reading> {
  const hasPercent = encodings.has('percent')
  const hasHtml = encodings.has('html')
  if (!hasPercent && !hasHtml) return
  // A finder of its own, because others may be in use on other texts.
  const finder = new RegExp(hasPercent && hasHtml ? ESCAPES.both : hasPercent ? ESCAPES.percent : ESCAPES.html)
  const view = new EscapedView(text)
  let pause = STEP_CHARACTERS
  for (let match = finder.exec(text); match !== null; match = finder.exec(text)) {
    const { index } = match
    if (text[index] === '%') finder.lastIndex = readBytes(view, text, index)
    else {
      const character = htmlCharacter(match)
      if (character !== undefined) view.replace(index, match[0].length, character)
    }
    if (index < pause) continue
    pause = index + STEP_CHARACTERS
    yield undefined
  }
  yield view.reading()
}

function htmlCharacter([, decimal, hex, name]: RegExpExecArray): string | undefined {
  if (name !== undefined) return findNamedCharacter(name)
  return findNumberedCharacter(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
}

/** Decodes consecutive percent-encoded bytes, at most one step. @returns the end offset */
function readBytes(view: EscapedView, text: string, index: number): number {
  let at = index
  while (at < index + STEP_CHARACTERS && byteAt(text, at) !== -1) at = readCharacter(view, text, at)
  return at
}

/** Decodes the bytes of one character. @returns the end offset */
function readCharacter(view: EscapedView, text: string, index: number): number {
  const first = byteAt(text, index)
  let at = index + WRITTEN_BYTE
  if (first < 0x80) {
    view.replace(index, WRITTEN_BYTE, String.fromCharCode(first))
    return at
  }
  const bytes = [first]
  const width = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (; bytes.length < width; at += WRITTEN_BYTE) {
    const next = byteAt(text, at)
    if (next < 0x80 || next >= 0xc0) break
    bytes.push(next)
  }
  view.replace(index, at - index, decoder.decode(Uint8Array.from(bytes)))
  return at
}

/** The encoded byte at a position; -1 without one. */
function byteAt(text: string, at: number): number {
  const first = text.charCodeAt(at + 1)
  const second = text.charCodeAt(at + 2)
  if (text[at] !== '%' || !isHexDigit(first) || !isHexDigit(second)) return -1
  return (toHexValue(first) << 4) | toHexValue(second)
}
