/** Most characters of a keyword. */
export const MAX_KEYWORD_LENGTH = 100

const WORD = /[\p{L}\p{N}\p{M}_]+/gu
const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}_]$/u
/** Scripts that write words without a gap between them, and Korean, whose words take endings. */
const WITHOUT_GAPS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}]/u

/** A text in which keywords are searched. */
export interface FoldedText {
  readonly text: string
  readonly words: ReadonlySet<string>
}

/** A text as keywords are compared: one form of each character, lower case, one space for any white space. */
export function foldText(text: string): FoldedText {
  const folded = foldCharacters(text)
  return { text: folded, words: new Set(folded.match(WORD) ?? []) }
}

function foldCharacters(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss').split(/\s+/u).join(' ')
}

/** Finds a keyword in a text. */
export type KeywordSearch = (text: FoldedText) => boolean

/**
 * Compiles a keyword. Words match whole, in scripts that put gaps between words; a `*` at the end stands for the rest of
 * a word.
 */
export function compileKeyword(keyword: string): KeywordSearch {
  const isOpen = keyword.endsWith('*')
  const wanted = foldCharacters(isOpen ? keyword.slice(0, -1) : keyword).trim()
  const words = wanted.match(WORD) ?? []
  const needsGaps = !WITHOUT_GAPS.test(wanted)
  if (needsGaps && !isOpen && words.length === 1 && words[0] === wanted) return ({ words: known }) => known.has(wanted)
  // Most texts lack the first word of a phrase, which the set of words tells at once.
  const first = needsGaps && words.length > 1 && wanted.startsWith(words[0] ?? '') ? words[0] : undefined
  return ({ text, words: known }) => {
    if (first !== undefined && !known.has(first)) return false
    return findWhole(text, wanted, { needsGaps, isOpen })
  }
}

function findWhole(
  text: string,
  wanted: string,
  { needsGaps, isOpen }: { readonly needsGaps: boolean; readonly isOpen: boolean },
): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!needsGaps) return true
    const end = at + wanted.length
    const begins = !(isWordCharacter(text, at, 1) && isWordCharacter(text, at - 1, -1))
    const ends = isOpen || !(isWordCharacter(text, end - 1, -1) && isWordCharacter(text, end, 1))
    if (begins && ends) return true
  }
  return false
}

/** Whether a letter, digit or mark is at a place, or the half of one that continues in a direction. */
function isWordCharacter(text: string, at: number, direction: 1 | -1): boolean {
  const unit = text.charCodeAt(at)
  const isHalf = unit >= 0xd800 && unit <= 0xdfff
  const start = isHalf && direction < 0 ? at - 1 : at
  const code = text.codePointAt(start)
  return code !== undefined && WORD_CHARACTER.test(String.fromCodePoint(code))
}
