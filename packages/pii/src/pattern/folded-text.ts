import type { Span } from '../span.ts'

/** The digit zero of the scripts that have digits of their own, from Arabic to Meetei Mayek; nine more follow each. */
const ZEROS = [
  ...[0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20],
  ...[0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0],
  ...[0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10],
]
/** Letters of other scripts, each in front of the letter of ASCII that it looks like. */
const LETTERS = [
  // Cyrillic.
  ...['АA', 'ВB', 'ЕE', 'ЅS', 'ІI', 'ЈJ', 'КK', 'МM', 'НH', 'ОO', 'РP', 'СC', 'ТT', 'УY', 'ХX', 'ԌG', 'ԜW', 'ԚQ'],
  ...['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'ѕs', 'іi', 'јj', 'һh', 'ԁd', 'ԛq', 'ԝw', 'ѵv', 'ӏl', 'кk', 'мm', 'тt'],
  // Greek.
  ...['ΑA', 'ΒB', 'ΕE', 'ΖZ', 'ΗH', 'ΙI', 'ΚK', 'ΜM', 'ΝN', 'ΟO', 'ΡP', 'ΤT', 'ΥY', 'ΧX', 'αa', 'ιi', 'κk', 'νv', 'οo'],
  ...['ρp', 'υu', 'χx', 'τt'],
  // Armenian, and Latin beyond ASCII.
  ...['օo', 'սu', 'հh', 'ցg', 'ıi', 'ɡg', 'ɑa', 'ǃ!'],
]
const FORMS = new Map<string, string>([
  ...ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, digit): [string, string] => [String.fromCharCode(zero + digit), String(digit)]),
  ),
  ...LETTERS.map((pair): [string, string] => [pair.charAt(0), pair.charAt(1)]),
])

const OTHER = 0
const DIGIT = 1
const ALIKE = 2
const ASCII = 3
const ASCII_DIGIT = 4
/** The role of each code unit: other, a digit of another script, a look-alike, a letter or a digit of ASCII. */
const ROLES = new Uint8Array(1 << 16)
for (const zero of ZEROS) ROLES.fill(DIGIT, zero, zero + 10)
for (const pair of LETTERS) ROLES[pair.charCodeAt(0)] = ALIKE
ROLES.fill(ASCII_DIGIT, 0x30, 0x3a)
ROLES.fill(ASCII, 0x41, 0x5b)
ROLES.fill(ASCII, 0x61, 0x7b)

/** Roles of two characters in a row, three bits each, that are looked at: mixed letters, or a digit of another script. */
const ROLE_BITS = 3
const PAIR_MASK = (1 << (2 * ROLE_BITS)) - 1
const ASKS = Uint8Array.from({ length: PAIR_MASK + 1 }, (_, pair) => {
  const [before, role] = [pair >> ROLE_BITS, pair & ((1 << ROLE_BITS) - 1)]
  return role === DIGIT || isMixed(before, role) ? 1 : 0
})

/** Whether a look-alike and a letter or digit of ASCII are side by side. */
function isMixed(before: number, role: number): boolean {
  return (role === ALIKE && before >= ASCII) || (role >= ASCII && before === ALIKE)
}

/** From the first of these letters and digits on: texts of Western Europe have none. */
const MAY_FOLD = /[\u0131-\uffff]/

/** Fewest digits close together that may be a value. */
const FEWEST_DIGITS = 5
const CLOSE = 24

/** Places with digits of other scripts that are close together, and with look-alikes beside letters of ASCII. */
export function* listFoldPlaces(text: string): Generator<Span> {
  if (!MAY_FOLD.test(text)) return
  let pair = OTHER
  for (let at = 0; at < text.length; at++) {
    pair = ((pair << ROLE_BITS) | (ROLES[text.charCodeAt(at)] ?? OTHER)) & PAIR_MASK
    if (ASKS[pair] === 0) continue
    if ((pair & ((1 << ROLE_BITS) - 1)) !== DIGIT) yield { start: at - 1, end: at + 1 }
    else if (countDigits(text, at) >= FEWEST_DIGITS) yield { start: at, end: at + 1 }
  }
}

function countDigits(text: string, from: number): number {
  let count = 0
  for (let at = from; at < from + CLOSE && at < text.length && count < FEWEST_DIGITS; at++) {
    const role = ROLES[text.charCodeAt(at)]
    if (role === DIGIT || role === ASCII_DIGIT) count++
  }
  return count
}

/** The text with the digits of ASCII in place of those of other scripts, and the letters of ASCII for look-alikes. */
export function foldText(text: string): string {
  let folded = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const role = ROLES[text.charCodeAt(at)]
    if (role !== DIGIT && role !== ALIKE) continue
    folded += text.slice(from, at) + (FORMS.get(text.charAt(at)) ?? '')
    from = at + 1
  }
  return folded + text.slice(from)
}
