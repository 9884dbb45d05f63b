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

const toClass = (units: readonly number[]): string =>
  units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
const DIGITS = ZEROS.map((zero) => `${toClass([zero])}-${toClass([zero + 9])}`).join('')
const ALIKE = toClass(LETTERS.map((pair) => pair.charCodeAt(0)))
/** A digit of another script, or a look-alike letter beside a letter or digit of ASCII. */
const FOLDABLE = `[${DIGITS}]|[A-Za-z0-9][${ALIKE}]|[${ALIKE}][A-Za-z0-9]`

/** Places of a text in which folding may show something. */
export const FOLDABLE_PLACES = new RegExp(FOLDABLE, 'g')
const FOLDABLE_PLACE = new RegExp(FOLDABLE)
const FOLDED = new RegExp(`[${DIGITS}${ALIKE}]`, 'g')

/** Whether a text has digits of other scripts, or look-alike letters in a word of ASCII. */
export function mayFold(text: string): boolean {
  return FOLDABLE_PLACE.test(text)
}

/** The text with the digits of ASCII in place of those of other scripts, and the letters of ASCII for look-alikes. */
export function foldText(text: string): string {
  return text.replaceAll(FOLDED, (unit) => FORMS.get(unit) ?? unit)
}
