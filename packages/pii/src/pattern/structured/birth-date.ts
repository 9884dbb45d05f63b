import type { Span } from '../../span.ts'
import type { StructuredKind } from './kind.ts'

/** The first letters of the names of months in English, German, French, Spanish, Italian, Dutch and Portuguese. */
const MONTH =
  '(?:jan|feb|fév|fev|mar|mär|mrz|maart|apr|avr|abr|may|mai|maj|mei|maggio|mayo|jun|juin|giu|jul|juil|lug|aug|août|aout|ago|sep|set|oct|okt|out|ott|nov|dec|dez|déc|dic|ene|gen)[\\p{L}]{0,8}\\.?'
const DAY = '(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th|er|º|\\.)?'
const YEAR = "(?:(?:19|20)\\d\\d|'?\\d\\d)"
const NUMERIC =
  '(?:\\d{1,2}([./-])\\d{1,2}\\1(?:(?:19|20)\\d\\d|\\d\\d)|\\d{1,2}\\. ?\\d{1,2}\\. ?(?:19|20)\\d\\d|(?:19|20)\\d\\d([./-])\\d{1,2}\\2\\d{1,2})'

/** In Chinese and Japanese, with or without the day; in years of the Republic of China too. */
const EASTERN = '(?:19|20)?\\d\\d年\\d{1,2}月(?:\\d{1,2}[日号])?'

const FORWARD = new RegExp(
  `(?:${NUMERIC}|${EASTERN}|${DAY}[ -](?:de |of )?${MONTH},?[ -](?:de |del )?${YEAR})(?![\\dA-Za-z])`,
  'iuy',
)
const MONTH_FIRST = new RegExp(`${MONTH} ${DAY},? ${YEAR}(?![\\dA-Za-z])`, 'iuy')
const LONGEST_MONTH = 12

/** A date after a word that announces a birth. */
export const BIRTH_DATE: StructuredKind = {
  name: 'birth_date',
  group: 'BIRTH_DATE',
  numbers: [1, 4],
  mixed: [3, 5],
  announcedBy: 'birth_date',
  find({ text, start }) {
    return matchAt(FORWARD, text, start) ?? matchAt(MONTH_FIRST, text, monthStart(text, start))
  },
}

function matchAt(pattern: RegExp, text: string, at: number): Span | undefined {
  pattern.lastIndex = at
  const [found] = pattern.exec(text) ?? []
  return found === undefined ? undefined : { start: at, end: at + found.length }
}

/** The start of the word before an offset. */
function monthStart(text: string, at: number): number {
  let start = text.charAt(at - 1) === ' ' ? at - 1 : at
  while (start > 0 && at - start <= LONGEST_MONTH && /[\p{L}.]/u.test(text.charAt(start - 1))) start--
  return start
}
