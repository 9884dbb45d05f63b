import { LATIN_PROFILES } from './latin-profiles.ts'

/** A language with the evidence for it. */
export interface DetectedLanguage {
  /** ISO 639-1, such as `de`; `unknown` where no language is certain. */
  readonly code: string
  /** Share of the evidence that speaks for it, 0 to 1. */
  readonly share: number
  /** `script` where the letters alone decide, `words` where frequent words and letters do. */
  readonly by: 'script' | 'words' | 'nothing'
}

/** UTF-16 code units that are read. */
const MAX_LENGTH = 2_000
/** Letters below this count are too few to tell a script. */
const MIN_LETTERS = 2
/** Evidence that a language of the Latin or Cyrillic script needs. */
const MIN_EVIDENCE = 1.2
/** Evidence of the best language over that of the next. */
const MIN_LEAD = 1.25
/** The least evidence for each word: a text of names or code has little. */
const MIN_DENSITY = 0.06
const LETTER_EVIDENCE = 0.6

const UNKNOWN: DetectedLanguage = { code: 'unknown', share: 0, by: 'nothing' }

const SCRIPTS = {
  kana: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  han: /\p{Script=Han}/gu,
  hangul: /\p{Script=Hangul}/gu,
  greek: /\p{Script=Greek}/gu,
  hebrew: /\p{Script=Hebrew}/gu,
  thai: /\p{Script=Thai}/gu,
  devanagari: /\p{Script=Devanagari}/gu,
  arabic: /\p{Script=Arabic}/gu,
  cyrillic: /\p{Script=Cyrillic}/gu,
  latin: /\p{Script=Latin}/gu,
} as const

type Script = keyof typeof SCRIPTS

/** Scripts whose letters tell one language of those that are known here. */
const LANGUAGE_OF_SCRIPT: Partial<Readonly<Record<Script, string>>> = {
  hangul: 'ko',
  greek: 'el',
  hebrew: 'he',
  thai: 'th',
  devanagari: 'hi',
}

const CYRILLIC_WORDS: Readonly<Record<string, { readonly words: string; readonly letters: string }>> = {
  ru: {
    words:
      'и в не на я что он с как это по но они мы она так его только был ты из для же вы все мне как почему или если',
    letters: 'ыэё',
  },
  uk: {
    words: 'і в не на я що він з як це по але вони ми вона так його був ти із для та ви чому або якщо мені є',
    letters: 'іїєґ',
  },
  bg: {
    words: 'и в не на аз че той с как това по но те ние тя така е да се за от са ли ми защо или ако съм ще',
    letters: 'ъ',
  },
}
const PERSIAN_LETTERS = /[پچژگ]/gu

/**
 * The language of a text, by its script and its most frequent words. Knows 29 languages, reads the first 2,000
 * characters and asks no model. A text of few words, of code or of names is `unknown`.
 */
export function detectLanguage(text: string): DetectedLanguage {
  const sample = text.slice(0, MAX_LENGTH)
  const counts = countScripts(sample)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  // One character of an East Asian script is about a word.
  const weight = (script: Script): number => (counts.get(script) ?? 0) * (script === 'han' || script === 'kana' ? 2 : 1)
  const scripts = [...counts.keys()].sort((one, other) => weight(other) - weight(one))
  const [main] = scripts
  if (main === undefined || total < MIN_LETTERS) return UNKNOWN
  const share = (counts.get(main) ?? 0) / total
  const decided = LANGUAGE_OF_SCRIPT[main]
  if (decided !== undefined) return { code: decided, share, by: 'script' }
  if (main === 'kana' || main === 'han') return detectEastAsian(counts, total)
  if (main === 'arabic') return detectArabic(sample, share)
  return main === 'cyrillic' ? detectByWords(sample, CYRILLIC) : detectByWords(sample, LATIN)
}

function countScripts(text: string): ReadonlyMap<Script, number> {
  const counts = new Map<Script, number>()
  for (const [script, letters] of Object.entries(SCRIPTS) as [Script, RegExp][]) {
    const count = text.match(letters)?.length ?? 0
    if (count > 0) counts.set(script, count)
  }
  return counts
}

/** Japanese mixes its own letters into Chinese characters; Chinese has none of them. */
function detectEastAsian(counts: ReadonlyMap<Script, number>, total: number): DetectedLanguage {
  const [kana, han] = [counts.get('kana') ?? 0, counts.get('han') ?? 0]
  const isJapanese = kana > (kana + han) * 0.1
  return { code: isJapanese ? 'ja' : 'zh', share: (kana + han) / total, by: 'script' }
}

function detectArabic(text: string, share: number): DetectedLanguage {
  const isPersian = (text.match(PERSIAN_LETTERS)?.length ?? 0) > 0
  return { code: isPersian ? 'fa' : 'ar', share, by: 'script' }
}

interface Evidence {
  /** Languages that have a word among their frequent ones. */
  readonly words: ReadonlyMap<string, readonly string[]>
  /** Languages that have a letter which few others have. */
  readonly letters: ReadonlyMap<string, readonly string[]>
}

const CYRILLIC = collectEvidence(CYRILLIC_WORDS)
const LATIN = collectEvidence(LATIN_PROFILES)

function collectEvidence(
  profiles: Readonly<Record<string, { readonly words: string; readonly letters?: string | undefined }>>,
): Evidence {
  const evidence = { words: new Map<string, string[]>(), letters: new Map<string, string[]>() }
  const note = (map: Map<string, string[]>, key: string, code: string): void => {
    const codes = map.get(key)
    if (codes === undefined) map.set(key, [code])
    else if (!codes.includes(code)) codes.push(code)
  }
  for (const [code, { words, letters = '' }] of Object.entries(profiles)) {
    for (const word of words.split(' ')) note(evidence.words, word, code)
    for (const letter of letters) note(evidence.letters, letter, code)
  }
  return evidence
}

/** A word or letter counts for its languages in equal parts. */
function detectByWords(text: string, evidence: Evidence): DetectedLanguage {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+(?:['’]\p{L}+)?/gu) ?? []
  const scores = new Map<string, number>()
  const add = (codes: readonly string[] | undefined, amount: number): void => {
    for (const code of codes ?? []) scores.set(code, (scores.get(code) ?? 0) + amount / (codes?.length ?? 1))
  }
  for (const word of words) {
    add(evidence.words.get(word.replace('’', "'")), 1)
    for (const letter of new Set(word)) add(evidence.letters.get(letter), LETTER_EVIDENCE)
  }
  const [[code = 'unknown', best = 0] = [], [, next = 0] = []] = [...scores].sort(([, one], [, other]) => other - one)
  const sum = [...scores.values()].reduce((all, score) => all + score, 0)
  if (best < MIN_EVIDENCE || best < next * MIN_LEAD || best < words.length * MIN_DENSITY) return UNKNOWN
  return { code, share: best / sum, by: 'words' }
}
