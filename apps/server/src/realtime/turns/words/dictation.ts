/** Names of digits. English, German, Spanish, French, Italian, Portuguese. */
const DIGITS: ReadonlySet<string> = new Set(
  [
    'zero oh one two three four five six seven eight nine double triple',
    'null eins zwei zwo drei vier fünf sechs sieben acht neun',
    'cero uno dos tres cuatro cinco seis siete ocho nueve',
    'zéro un deux trois quatre cinq six sept huit neuf',
    'zero uno due tre quattro cinque sei sette otto nove',
    'zero um uma dois duas três quatro cinco seis meia sete oito nove',
  ].flatMap((line) => line.split(' ')),
)

const NUMBER = /^\d+(?:[-.,:/]\d+)*$/
const LEAST_PARTS = 3
/** Numbers of this length may be whole: telephone numbers have ten digits or a little more. */
const WHOLE_DIGITS = 10

/**
 * Whether a text ends in a number or a word that is read out sign by sign: such lists have pauses in them.
 *
 * @returns undefined where it does not; `unclear` once a telephone number would be whole
 */
export function endsInDictation(words: readonly string[]): 'open' | 'unclear' | undefined {
  const parts = takeLast(words, (word) => NUMBER.test(word) || DIGITS.has(word))
  const digits = parts.reduce((sum, part) => sum + (NUMBER.test(part) ? part.replace(/\D/g, '').length : 1), 0)
  const last = parts.at(-1) ?? ''
  const isGrouped = parts.length >= 2 && parts.every((part) => NUMBER.test(part)) && digits >= 4
  const isCut = NUMBER.test(last) && /^\d+-\d+$|^0\d{2}/.test(last)
  if (parts.length >= LEAST_PARTS || isGrouped || isCut) return digits >= WHOLE_DIGITS ? 'unclear' : 'open'
  const letters = takeLast(words, (word) => /^\p{L}$/u.test(word))
  return letters.length >= LEAST_PARTS ? 'open' : undefined
}

/** Gives the longest run of matching words at the end. */
function takeLast(words: readonly string[], matches: (word: string) => boolean): readonly string[] {
  let from = words.length
  while (from > 0 && matches(words[from - 1] ?? '')) from -= 1
  return words.slice(from)
}
