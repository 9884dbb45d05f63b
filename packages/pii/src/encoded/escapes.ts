import type { Encoding } from './encodings.ts'
import { EscapedView } from './escaped-view.ts'
import { namedCharacter, numberedCharacter } from './html-entities.ts'
import { type Reading, STEP_CHARACTERS, type Steps } from './reading.ts'

/** Bytes behind percent signs, as many as follow one another; a character of HTML by number or by name. */
const PERCENT = '(?<percent>(?:%[0-9A-Fa-f]{2})+)'
const HTML = '&(?:#(?<decimal>[0-9]{1,7})|#[xX](?<hex>[0-9A-Fa-f]{1,6})|(?<name>[A-Za-z]{2,12})(?=;));?'

/** Which escapes are read, by the encodings asked for. */
const ESCAPES = {
  percent: new RegExp(PERCENT, 'g'),
  html: new RegExp(HTML, 'g'),
  both: new RegExp(`${PERCENT}|${HTML}`, 'g'),
}

// Bytes that are no text are shown as such, and hide nothing beside them.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A text with its escapes read, once; nothing where it has none. */
export function* readEscapes(text: string, encodings: ReadonlySet<Encoding>): Steps<Reading> {
  const hasPercent = encodings.has('percent') && text.includes('%')
  const hasHtml = encodings.has('html') && text.includes('&')
  if (!hasPercent && !hasHtml) return
  const escapes = hasPercent && hasHtml ? ESCAPES.both : hasPercent ? ESCAPES.percent : ESCAPES.html
  const view = new EscapedView(text)
  let pause = STEP_CHARACTERS
  for (const { index, 0: written, groups = {} } of text.matchAll(escapes)) {
    if (groups.percent === undefined) {
      const character = htmlCharacter(groups)
      if (character !== undefined) view.replace(index, written.length, character)
    } else readBytes(view, index, written)
    if (index >= pause) {
      pause = index + STEP_CHARACTERS
      yield undefined
    }
  }
  yield view.reading()
}

function htmlCharacter({ decimal, hex, name }: Record<string, string | undefined>): string | undefined {
  if (name !== undefined) return namedCharacter(name)
  return numberedCharacter(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
}

/** Reads bytes behind percent signs: those of ASCII one by one, others as many as follow one another. */
function readBytes(view: EscapedView, index: number, written: string): void {
  for (let at = 0; at < written.length; ) {
    const byte = byteAt(written, at)
    if (byte < 0x80) {
      view.replace(index + at, 3, String.fromCharCode(byte))
      at += 3
      continue
    }
    const from = at
    const bytes: number[] = []
    for (; at < written.length && byteAt(written, at) >= 0x80; at += 3) bytes.push(byteAt(written, at))
    view.replace(index + from, at - from, decoder.decode(Uint8Array.from(bytes)))
  }
}

function byteAt(written: string, at: number): number {
  return Number.parseInt(written.slice(at + 1, at + 3), 16)
}
