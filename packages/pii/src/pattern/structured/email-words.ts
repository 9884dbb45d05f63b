import type { Span } from '../../span.ts'

/** Words for the `@` of an address, which few other texts have. */
const AT_WORDS = [
  ...[
    'arroba',
    'arobase',
    'arobas',
    'chiocciola',
    'apenstaartje',
    'klammeraffe',
    'małpa',
    'malpa',
    'snabel-a',
    'snabela',
  ],
  ...[
    'kukac',
    'zavináč',
    'zavinac',
    'собака',
    'собачка',
    '艾特',
    '圈a',
    '小老鼠',
    'アットマーク',
    'アット',
    '골뱅이',
    'παπάκι',
  ],
]
/** Words that need blanks or brackets on both sides. */
const SHORT_AT_WORDS = ['ät', 'at']
const DOTS = [
  ...[
    'punkt',
    'point',
    'punto',
    'ponto',
    'punt',
    'kropka',
    'nokta',
    'точка',
    'dot',
    '点',
    '點',
    'ドット',
    '점',
    'τελεία',
  ],
  ...['pont', 'tečka', 'prikk'],
]
/** The words for the dot that start a search, with a blank on both sides. */
const DOT_ANCHORS = ['punkt', 'punto', 'ponto', 'punt', 'point', 'kropka', 'точка', 'dot']
/** Words for the other marks of a name. */
const MARKS = [
  ...['underscore', 'unterstrich', 'tiret bas', 'souligné', 'guion bajo', 'guión bajo', 'underline', 'sublinhado'],
  ...['trattino basso', 'подчёркивание', '下划线', 'dash', 'hyphen', 'minus', 'bindestrich', 'tiret', 'guion', 'guión'],
  ...['trattino', 'hífen', 'hifen', 'traço', 'streepje', 'koppelteken', 'дефис', 'тире'],
]
/** Where an address in one of these languages is looked for: at a word for `@`, or at one for the dot. */
export const SPELLED_ANCHORS: readonly string[] = [
  // The search needs three characters.
  ...AT_WORDS.flatMap((word) => (word.length < 3 ? [` ${word}`, `${word} `] : [word])),
  ...DOT_ANCHORS.map((word) => ` ${word} `),
]

const any = (words: readonly string[]): string =>
  words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replaceAll(/[ ]/g, '[ \\u00a0]'))
    .join('|')

const BLANK = '[ \\u00a0]'
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_+-]{0,40}[\\p{L}\\p{N}])?'
/** Scripts without blanks: the words for marks may touch the rest. */
const WORD = `(?:[({\\[<]?(?:${any(AT_WORDS)})[)}\\]>]?)`
const DOT = `(?:${BLANK}{1,2}[({\\[<]?(?:${any(DOTS)})[)}\\]>]?${BLANK}{1,2}|\\.)`
const MARK = `(?:${BLANK}{1,2}(?:${any(MARKS)})${BLANK}{1,2})`
const NAME = `${LABEL}(?:(?:${DOT}|${MARK})${LABEL}){0,4}`
const TOP =
  '(?:com|org|net|edu|gov|info|biz|dev|app|name|mail|email|online|cloud|tech|example|test|invalid|eu|io|ai|co|me|tv|cc|us|uk|de|fr|es|it|nl|be|ch|at|pl|se|no|dk|fi|pt|br|ru|ua|cn|tw|hk|jp|kr|in|au|ca|nz|ie|cz|hu|ro|gr|tr|mx|ar|cl|pe|za|by|kz|ком|ру|рф|орг|нет)'
const HOST = `${LABEL}(?:(?:${DOT}|${MARK})${LABEL}){0,3}?${DOT}${TOP}(?![\\p{L}\\p{N}_-])`
const ADDRESS = new RegExp(
  `(?<![\\p{L}\\p{N}@._-])${NAME}(?:${BLANK}{0,2}${WORD}${BLANK}{0,2}|(?:${BLANK}{1,2}(?<bare>${any(SHORT_AT_WORDS)})${BLANK}{1,2}|${BLANK}{0,2}[({\\[<](?:${any(SHORT_AT_WORDS)})[)}\\]>]${BLANK}{0,2})|@)${HOST}`,
  'giu',
)
const UNITS_BEFORE = 120
const UNITS_BEHIND = 140
const ENDS_AT_ONCE = new RegExp(`${TOP}(?![\\p{L}\\p{N}_-])`, 'iuy')

/** Finds an address that is spelled out in words of a language other than English, around one of its words. */
export function findSpelled(text: string, { start, end }: Span): Span | undefined {
  if (text.charAt(start) === ' ' && text.charAt(end - 1) === ' ') {
    ENDS_AT_ONCE.lastIndex = end
    if (!ENDS_AT_ONCE.test(text)) return undefined
  }
  const from = Math.max(0, start - UNITS_BEFORE)
  for (const { index, 0: found, groups } of text.slice(from, end + UNITS_BEHIND).matchAll(ADDRESS)) {
    const span = { start: from + index, end: from + index + found.length }
    if (span.start > start || span.end < end) continue
    return groups?.bare?.toLowerCase() !== 'at' || isEnglishAddress(found) ? span : undefined
  }
  return undefined
}

/** Whether `at` as a word is in an address: behind a name of several words, or without the word `point`. */
function isEnglishAddress(found: string): boolean {
  const [name = ''] = found.split(/\sat\s/i)
  // `arrive at that point in time`; a name of one word has a rule of its own.
  return / dot /i.test(found) ? /\s/.test(name) : !/ point /i.test(found)
}
