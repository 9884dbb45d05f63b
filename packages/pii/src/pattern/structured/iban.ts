import type { Span } from '../../span.ts'
import { isAlphanumeric, isDigit, isSeparator } from './characters.ts'
import { modulo97 } from './checksums.ts'
import type { StructuredKind } from './kind.ts'

/** Length by country, as in the registry of ISO 13616, and of countries that use the form without an entry there. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FK FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'AO CV GW LY MZ PT ST',
    26: 'DZ IR IS TR',
    27: 'BI CF CG CM DJ GA GQ KM MG TD FR GR IT MC MR SM',
    28: 'AL AZ BF BJ BY CI CY DO GT HN HU LB MA ML NE NI PL SN SV TG',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, Number(length)] as const)),
)

/** An account number with the length of its country and a valid check, in groups or not. */
export const IBAN: StructuredKind = {
  name: 'iban',
  group: 'IBAN',
  mixed: [4, 34],
  fits: ({ first }) => first === 'letter',
  labelledBy: 'iban',
  findUnchecked({ text, start, end }) {
    FORM.lastIndex = start
    const [found] = end - start > LONGEST ? [] : (FORM.exec(text) ?? [])
    return found === undefined ? undefined : { start, end: start + found.length }
  },
  find({ text, start, before }) {
    // A later part of an id with hyphens is not the beginning of an IBAN.
    if (before === 0x2d && isAlphanumeric(text.charCodeAt(start - 2))) return undefined
    return matchIban(text, start)
  },
}

const LONGEST = 34
/** Marks in a row between two groups, and around the end of a line that is quoted or set in. */
const MOST_SEPARATORS = 2
const MOST_AT_LINE_END = 12
/** A country, two digits, and 11 to 30 letters and digits in groups of four or none. */
const FORM =
  /[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?:[ \u00a0.-][A-Z0-9]{4}){2,7}(?:[ \u00a0.-][A-Z0-9]{1,3})?)(?![A-Z0-9])/iy

function matchIban(text: string, at: number): Span | undefined {
  if (isDigit(text.charCodeAt(at + 1)) || !isDigit(text.charCodeAt(at + 2)) || !isDigit(text.charCodeAt(at + 3)))
    return undefined
  const length = LENGTHS.get(text.slice(at, at + 2).toUpperCase())
  if (length === undefined) return undefined
  let code = ''
  let position = at
  let separators = 0
  let most = MOST_SEPARATORS
  while (code.length < length) {
    const unit = text.charCodeAt(position)
    if (isAlphanumeric(unit)) {
      code += text.charAt(position)
      separators = 0
      most = MOST_SEPARATORS
    } else {
      if (unit === 0x0a) most = MOST_AT_LINE_END
      const isQuote = unit === 0x3e && most === MOST_AT_LINE_END
      if ((!isSeparator(unit) && unit !== 0x2e && unit !== 0x2f && !isQuote) || ++separators > most) return undefined
    }
    position++
  }
  if (isAlphanumeric(text.charCodeAt(position))) return undefined
  return modulo97(code.slice(4) + code.slice(0, 4)) === 1 ? { start: at, end: position } : undefined
}
