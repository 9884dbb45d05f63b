/** What follows a label, by a few characters: nothing, another word, or perhaps a value. */
export type Following = 'end' | 'word' | 'more'

/** Units that are looked at for a digit. */
const AHEAD = 64
const LONGEST_REST = 40

/** Looks at the characters behind a label: most labels are words of a sentence, and this is cheap. */
export function lookBehind(text: string, end: number): Following {
  let at = end
  while (at - end < LONGEST_REST && isNameUnit(text.charCodeAt(at))) at++
  const first = text.charCodeAt(at)
  if (ENDS[first] === 1) return 'end'
  const next = text.charCodeAt(at + 1)
  if (first === COMMA) return isBlank(next) ? 'end' : 'more'
  if (first === DOT) return next === DOT || next === BAR || next === EQUALS ? 'more' : 'end'
  // A sentence may go on behind a bracket.
  if (first === CLOSE) return mayLead(next) ? 'more' : 'end'
  if (first !== SPACE) return at >= text.length ? 'end' : 'more'
  while (text.charCodeAt(at) === SPACE) at++
  return isSmallLetter(text.charCodeAt(at)) ? 'word' : 'more'
}

/** Whether a digit or a character beyond ASCII is shortly behind an offset. */
export function hasDigitAhead(text: string, from: number): boolean {
  return hasDigit(text, from, Math.min(text.length, from + AHEAD))
}

/** Whether one is shortly before an offset. */
export function hasDigitBefore(text: string, to: number): boolean {
  return hasDigit(text, Math.max(0, to - AHEAD), to)
}

function hasDigit(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if ((unit >= 0x30 && unit <= 0x39) || unit > 0x7f) return true
  }
  return false
}

const SPACE = 0x20
const DOT = 0x2e
const COMMA = 0x2c
const CLOSE = 0x29
const EQUALS = 0x3d
const BAR = 0x7c
/** Marks behind a name that no value follows. */
const ENDS = new Uint8Array(128)
for (const mark of ';{}/#@$%^~') ENDS[mark.charCodeAt(0)] = 1
/** Whether what a sentence tells of a name may begin with a character: a blank, a colon, an equals sign. */
export function mayLead(unit: number): boolean {
  return unit === SPACE || unit === 0x09 || unit === 0xa0 || unit === 0x3a || unit === 0xff1a || unit === EQUALS
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === 0x0a || unit === 0x0d || Number.isNaN(unit)
}

function isSmallLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

function isNameUnit(unit: number): boolean {
  return (
    isSmallLetter(unit) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x5f ||
    unit === 0x2d
  )
}
