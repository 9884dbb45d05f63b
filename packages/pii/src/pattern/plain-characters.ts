/** Control characters other than blanks: they are invisible. */
const CONTROLS = '\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f'
/**
 * Characters that readers do not see: control characters, zero-width characters, soft hyphens, direction marks,
 * variation selectors, tags, accents.
 */
const UNSEEN = new RegExp(`[${CONTROLS}\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{Mn}\\p{Me}]`, 'u')
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu')

/** The plain form of a character for a reader; empty for an invisible one. */
export function toPlainForm(character: string): string {
  return UNSEEN.test(character) ? '' : character.normalize('NFKC').replace(ALL_UNSEEN, '')
}

/**
 * The blocks of scripts from Devanagari to Lao, each of 128 characters. Their marks above and below letters are vowels
 * and tones, which readers see.
 */
const FIRST_OF_SCRIPTS = 0x900
const LAST_OF_SCRIPTS = 0xeff
const SCRIPT_BITS = 7
const LETTER_CLASS = /[\p{L}\p{Mc}]/u
const MARK_CLASS = /\p{Mn}/u

/** Another form, or half of a character that may have one. */
const SUSPECT = 1
/** A mark of one of these scripts, and a letter of one. */
const MARK = 2
const LETTER = 3
/** Most marks behind one letter. */
const MOST_MARKS = 4

const UNKNOWN = 255
const BLOCK_UNITS = 256
/** Kinds of code units, by blocks that are filled when they are read. */
const KINDS = new Uint8Array(1 << 16).fill(UNKNOWN)

function readKind(unit: number): number {
  const kind = KINDS[unit] ?? 0
  return kind === UNKNOWN ? fillBlock(unit) : kind
}

/** Fills the block of a code unit. @returns the kind of the unit */
function fillBlock(unit: number): number {
  const first = unit - (unit % BLOCK_UNITS)
  for (let other = first; other < first + BLOCK_UNITS; other++) KINDS[other] = findKind(other)
  return KINDS[unit] ?? 0
}

function findKind(unit: number): number {
  if ((unit & 0xf800) === 0xd800) return SUSPECT
  const character = String.fromCharCode(unit)
  if (unit >= FIRST_OF_SCRIPTS && unit <= LAST_OF_SCRIPTS) {
    if (LETTER_CLASS.test(character)) return LETTER
    if (MARK_CLASS.test(character)) return MARK
  }
  return isBlankOrPrinted(unit) || toPlainForm(character) === character ? 0 : SUSPECT
}

function isBlankOrPrinted(unit: number): boolean {
  return (unit >= 0x20 && unit <= 0x7e) || (unit >= 0x09 && unit <= 0x0d)
}

/** Whether a mark follows a letter of its own script, with other marks between at most: it is a part of that letter. */
function isOwnMark(text: string, at: number): boolean {
  const script = text.charCodeAt(at) >> SCRIPT_BITS
  for (let before = at - 1; before >= at - MOST_MARKS && before >= 0; before--) {
    const unit = text.charCodeAt(before)
    if (unit >> SCRIPT_BITS !== script) return false
    const kind = readKind(unit)
    if (kind !== MARK) return kind === LETTER
  }
  return false
}

/** The characters of Latin-1 that have another form. The engine finds them faster than a loop does. */
const LATIN_SUSPECT = new RegExp(
  `[${Array.from({ length: BLOCK_UNITS }, (_, unit) => unit)
    .filter((unit) => readKind(unit) === SUSPECT)
    .map((unit) => `\\x${unit.toString(16).padStart(2, '0')}`)
    .join('')}]`,
  'g',
)
export const BEYOND_LATIN = /[\u0100-\uffff]/

/** The first place from an offset on, before a limit, of a character that may have another form; the limit without one. */
export function findSuspect(text: string, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    const kind = readKind(text.charCodeAt(at))
    if (kind === SUSPECT || (kind === MARK && !isOwnMark(text, at))) return at
  }
  return limit
}

/** The same in a text of Latin-1, to its end. */
export function findLatinSuspect(text: string, from: number): number {
  LATIN_SUSPECT.lastIndex = from
  return LATIN_SUSPECT.exec(text)?.index ?? text.length
}
