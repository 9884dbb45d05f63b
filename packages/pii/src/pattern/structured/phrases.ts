import { CONTEXTS, PHRASES } from './announcements.ts'
import { isAlphanumeric, isBeyondAscii, isDigit } from './characters.ts'

/** A phrase behind its first word. */
export interface Phrase {
  readonly rest: readonly string[]
  /** Index of the kind that it announces. */
  readonly kind: number
  /** Whether it also labels a value whose check fails. */
  readonly isLabel: boolean
}

const BEGINNING_UNITS = 3
const LETTER_BITS = 5
const LETTER_MASK = 31

const BY_FIRST_WORD = new Map<string, Phrase[]>()
/** The same for scripts without blanks between words, by the first two characters. */
const BY_FIRST_CHARACTERS = new Map<string, (Phrase & { readonly whole: string })[]>()
/** Flags by the first code unit of such a phrase. */
const FIRST_UNITS = new Uint8Array(1 << 16)
/** By the first three characters of a word: a bit for each length of the first words of phrases that begin so. */
const BEGINNINGS = new Int32Array(1 << (BEGINNING_UNITS * LETTER_BITS))
/** The same for words that begin beyond ASCII, which would fill the bits of the others. */
const OTHER_BEGINNINGS = new Int32Array(1 << (BEGINNING_UNITS * LETTER_BITS))
/** By the same characters: a bit for each of five bits of the last character of those words. */
const ENDS = new Int32Array(1 << (BEGINNING_UNITS * LETTER_BITS))
for (const [kind, name] of CONTEXTS.entries()) {
  for (const written of PHRASES[name]) {
    const isLabel = !written.startsWith('?')
    const phrase = isLabel ? written : written.slice(1)
    const [first = '', ...rest] = phrase.split(' ')
    if (isIdeographic(first.charCodeAt(0))) {
      const key = first.slice(0, 2)
      FIRST_UNITS[first.charCodeAt(0)] = 1
      BY_FIRST_CHARACTERS.set(key, [...(BY_FIRST_CHARACTERS.get(key) ?? []), { rest, kind, isLabel, whole: first }])
    } else {
      BY_FIRST_WORD.set(first, [...(BY_FIRST_WORD.get(first) ?? []), { rest, kind, isLabel }])
      for (const form of [first, first.toUpperCase()]) {
        const lengths = form.charCodeAt(0) < 128 ? BEGINNINGS : OTHER_BEGINNINGS
        const index = packBeginning(form)
        lengths[index] = (lengths[index] ?? 0) | (1 << form.length)
        ENDS[index] = (ENDS[index] ?? 0) | (1 << (form.charCodeAt(form.length - 1) & 31))
      }
    }
  }
}

/** Five bits of each of the first three characters: equal for small letters and capitals of most scripts. */
function packBeginning(text: string): number {
  let bits = 0
  for (let at = 0; at < BEGINNING_UNITS; at++) {
    bits = (bits << LETTER_BITS) | (at < text.length ? text.charCodeAt(at) & LETTER_MASK : 0)
  }
  return bits
}

/** Words of this length and longer ones begin no phrase. */
const LONGEST_WORD = 32
const HASH = 0x23
const NONE: readonly Phrase[] = []

/** Tells of a phrase that a text has at a place. */
export type NotePhrase = (phrase: Phrase, start: number, end: number) => void

/** Reads the words of a range and tells of the phrases that begin in them. */
export function readWords(text: string, from: number, to: number, note: NotePhrase): void {
  let at = from
  while (at < to) {
    const unit = text.charCodeAt(at)
    if (!isWordUnit(unit)) at++
    // Phrases begin with letters.
    else if (isDigit(unit)) at = wordEnd(text, at, to)
    else at = readWord(text, at, to, note)
  }
}

/** Reads a word and tells of the phrases that begin in it. @returns the end of the word */
export function readWord(text: string, start: number, limit: number, note: NotePhrase): number {
  const first = text.charCodeAt(start)
  if (first > 0x3000 && isIdeographic(first)) {
    const end = wordEnd(text, start, limit)
    for (let at = start; at < end; at++) noteIdeographs(text, at, end, note)
    return end
  }
  let beginning = first & LETTER_MASK
  let before = unitKind(first)
  let last = first
  let end = start + 1
  for (; end < limit; end++) {
    const unit = text.charCodeAt(end)
    const kind = unitKind(unit)
    if (ENDS_WORD[(before << 2) | kind] === 1) break
    if (end - start < BEGINNING_UNITS) beginning = (beginning << LETTER_BITS) | (unit & LETTER_MASK)
    before = kind
    last = unit
  }
  const length = end - start
  if (length < BEGINNING_UNITS) beginning <<= (BEGINNING_UNITS - length) * LETTER_BITS
  if (length < LONGEST_WORD && mayBegin(first, beginning, length, last)) {
    for (const phrase of BY_FIRST_WORD.get(text.slice(start, end).toLowerCase()) ?? NONE) {
      const phraseLast = phrase.rest.length === 0 ? end : phraseEnd(text, end, phrase.rest, limit)
      if (phraseLast >= 0) note(phrase, start, phraseLast)
    }
  }
  return end
}

/** Whether the first word of any phrase has the length of a word, and begins and ends like it. */
function mayBegin(first: number, beginning: number, length: number, last: number): boolean {
  const lengths = first < 128 ? BEGINNINGS : OTHER_BEGINNINGS
  if (((lengths[beginning] ?? 0) & (1 << length)) === 0) return false
  return ((ENDS[beginning] ?? 0) & (1 << (last & LETTER_MASK))) !== 0
}

function noteIdeographs(text: string, at: number, limit: number, note: NotePhrase): void {
  if (FIRST_UNITS[text.charCodeAt(at)] === 0) return
  for (const phrase of BY_FIRST_CHARACTERS.get(text.slice(at, at + 2)) ?? []) {
    const end = at + phrase.whole.length
    if (end <= limit && text.startsWith(phrase.whole, at)) note(phrase, at, end)
  }
}

/** The end of the other words of a phrase; -1 where they do not follow. */
function phraseEnd(text: string, from: number, rest: readonly string[], limit: number): number {
  let position = from
  for (const word of rest) {
    while (position < limit && !isWordUnit(text.charCodeAt(position)) && text.charCodeAt(position) !== HASH) position++
    const end = text.charCodeAt(position) === HASH ? position + 1 : wordEnd(text, position, limit)
    if (end - position !== word.length || text.slice(position, end).toLowerCase() !== word) return -1
    position = end
  }
  return position
}

/** The end of a word. A capital after a small letter begins another one, as in `phoneNumber`. */
function wordEnd(text: string, start: number, limit: number): number {
  let position = start + 1
  let before = unitKind(text.charCodeAt(start))
  for (; position < limit; position++) {
    const kind = unitKind(text.charCodeAt(position))
    if (ENDS_WORD[(before << 2) | kind] === 1) break
    before = kind
  }
  return position
}

const SMALL = 2
const CAPITAL = 3
/** By the kinds of two units in a row, two bits each: whether a word ends between them. */
const ENDS_WORD = Uint8Array.from({ length: 16 }, (_, pair) => {
  const kind = pair & 3
  return kind === 0 || (kind === CAPITAL && pair >> 2 === SMALL) ? 1 : 0
})
/** 1 for the digits of ASCII, 2 for its small letters, 3 for its capitals. */
const WORD_UNITS = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (!isAlphanumeric(unit)) return 0
  return unit >= 0x61 ? SMALL : unit >= 0x41 ? CAPITAL : 1
})

/** Whether a code unit belongs to a word. */
export function isWordUnit(unit: number): boolean {
  return unitKind(unit) !== 0
}

/** The kind of a unit by {@link WORD_UNITS}; of those beyond ASCII, 1 for one that belongs to a word. */
function unitKind(unit: number): number {
  if (unit < 128) return WORD_UNITS[unit] ?? 0
  return isBeyondAscii(unit) && !isFullwidthMark(unit) ? 1 : 0
}

/** Marks of East Asian texts, such as the wide colon. */
function isFullwidthMark(unit: number): boolean {
  return (unit >= 0x3000 && unit <= 0x3020) || (unit >= 0xff01 && unit <= 0xff0f) || unit === 0xff1a || unit === 0xff1d
}

/** Whether a code unit is of a script without blanks between words, or one that joins its endings to them. */
function isIdeographic(unit: number): boolean {
  return (unit >= 0x3040 && unit <= 0x30ff) || (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3)
}
