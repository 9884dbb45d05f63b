/**
 * Letters of other alphabets, and rare Latin ones, that most fonts draw like an ASCII letter. Letters that only
 * resemble one, such as the Cyrillic к, are left out: whole names consist of them.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'ьƅʙ',
  c: 'сϲᴄ',
  d: 'ԁᴅ',
  e: 'еҽᴇ',
  g: 'ɡցɢ',
  h: 'һհʜ',
  i: 'іιıɩɪ',
  j: 'јϳȷյᴊ',
  k: 'ᴋ',
  l: 'ӏǀɭןוاʟ',
  m: 'ᴍ',
  n: 'пηոռɴ',
  o: 'оοσօᴏסهഠဝჿ',
  p: 'рρƿᴘ',
  q: 'ԛզգ',
  r: 'гᴦʀ',
  s: 'ѕƽꜱ',
  t: 'ᴛ',
  u: 'υսʋᴜ',
  v: 'νѵᴠט',
  w: 'ԝѡωաᴡɯ',
  x: 'хχ',
  y: 'уγүყʏɣ',
  z: 'ᴢ',
  A: 'АΑ',
  B: 'ВΒ',
  C: 'СϹ',
  E: 'ЕΕ',
  H: 'НΗ',
  I: 'ІӀΙ',
  J: 'Ј',
  K: 'КΚ',
  M: 'МΜ',
  N: 'Ν',
  O: 'ОΟՕ',
  P: 'РΡ',
  Q: 'Ԛ',
  S: 'ЅՏ',
  T: 'ТΤ',
  U: 'Ս',
  V: 'Ѵ',
  W: 'Ԝ',
  X: 'ХΧ',
  Y: 'УҮΥ',
  Z: 'Ζ',
}

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\u0000-\u007f]*$/
/** Alphabets whose letters are drawn alike. */
const EUROPEAN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}]/u
const LATIN = /\p{Script=Latin}/u
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/** Whether a text has only ASCII characters. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/** Writes look-alikes of ASCII letters as these letters. */
function replaceLookAlikes(text: string): string {
  return Array.from(text, (letter) => LETTERS.get(letter) ?? letter).join('')
}

/** A form of a name that names which look alike share. */
export function toNameKey(name: string): string {
  return replaceLookAlikes(name.normalize('NFKC')).toLowerCase()
}

/** Whether a text is not ASCII but looks like ASCII. */
export function looksLikeAscii(text: string): boolean {
  return !isAscii(text) && isAscii(replaceLookAlikes(text))
}

/** Whether a text has a word in several alphabets that are drawn alike, so that readers take it for another word. */
export function hasMixedWords(text: string): boolean {
  return (text.match(WORD) ?? []).some((word) => LATIN.test(word) && EUROPEAN.test(word))
}

/** Writes such words in Latin letters, as far as there are such letters. */
export function replaceMixedWords(text: string): string {
  return text.replace(WORD, (word) => (hasMixedWords(word) ? replaceLookAlikes(word) : word))
}
