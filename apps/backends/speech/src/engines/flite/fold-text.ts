/** Letters and marks that Unicode does not decompose, in ASCII. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': ', ',
  '—': ', ',
  '‐': '-',
  '⁄': '/',
  '€': ' euro ',
  '£': ' pound ',
}
const MARKS = /\p{M}+/gu
const NOT_ASCII = /[^\x20-\x7e\n]/gu
const LONG_WORD = /\S{100}(?=\S)/g

/**
 * Folds a text into the letters that the voices can speak: `a` to `z`, digits and ASCII marks. Accents go, and other
 * scripts and symbols become spaces. Words of more than 100 characters are cut, because the engine needs a time that
 * grows with the square of their length.
 */
export function foldText(text: string): string {
  // Marks go before the decomposition too, which sorts a run of them in a time that grows with its square.
  const plain = text
    .replace(MARKS, '')
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
  return plain.replace(NOT_ASCII, (mark) => FOLDED[mark] ?? ' ').replace(LONG_WORD, '$& ')
}

/** Whether a folded text has anything to speak. */
export function isSpeakable(folded: string): boolean {
  return /[A-Za-z0-9]/.test(folded)
}
