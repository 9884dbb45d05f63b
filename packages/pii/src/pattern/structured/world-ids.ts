import type { Span } from '../../span.ts'
import { isAlphanumeric } from './characters.ts'
import { hasRepeats, isDay, passesElevens, passesLuhn, sumWeighted } from './checksums.ts'
import type { StructuredKind } from './kind.ts'
import { type NumberRow, toRowKind } from './number-id.ts'

const last = (digits: string): number => Number(digits.at(-1))

/** Weights of the first nine and ten digits in the tax numbers of Russia. */
const INN = [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]

function isRussianTaxNumber(digits: string): boolean {
  if (hasRepeats(digits)) return false
  if (digits.length === 10) return (sumWeighted(digits, INN.slice(1)) % 11) % 10 === last(digits)
  const eleventh = (sumWeighted(digits, INN) % 11) % 10
  return (
    eleventh === Number(digits.charAt(10)) && (sumWeighted(digits, [3, ...INN]) % 11) % 10 === Number(digits.charAt(11))
  )
}

function isSnils(digits: string): boolean {
  const sum = sumWeighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101
  return !/^0+/.test(digits.slice(0, 3)) && (sum === 100 ? 0 : sum) === Number(digits.slice(9))
}

function isTurkish(digits: string): boolean {
  const odd = sumWeighted(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1])
  const even = sumWeighted(digits, [0, 1, 0, 1, 0, 1, 0, 1])
  const tenth = (((odd * 7 - even) % 10) + 10) % 10
  return (
    digits.charAt(0) !== '0' &&
    tenth === Number(digits.charAt(9)) &&
    (odd + even + tenth) % 10 === Number(digits.charAt(10))
  )
}

const ELEVEN_DOWN = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]

/** Numbers of digits only; without `announcedBy` for those that speak for themselves. */
const NUMBER_IDS: readonly NumberRow[] = [
  {
    name: 'kr_resident_number',
    length: 13,
    sizes: /^6-7$/,
    first: 6,
    needsLabel: false,
    isValid: (digits) => isDay(digits) && /^[1-8]/.test(digits.slice(6)),
  },
  {
    name: 'pk_identity_card',
    length: 13,
    sizes: /^5-7-1$/,
    first: 5,
    needsLabel: false,
    isValid: (digits) => /^[1-7]/.test(digits) && last(digits) > 0,
  },
  { name: 'ru_snils', length: 11, sizes: /^3-3-3-2$/, first: 3, needsLabel: false, isValid: isSnils },
  { name: 'ru_tax_number', length: [10, 12], isValid: isRussianTaxNumber },
  {
    name: 'th_citizen_id',
    length: 13,
    sizes: /^1-4-5-2-1$/,
    first: 1,
    needsLabel: false,
    isValid: (digits) =>
      /^[1-8]/.test(digits) && (11 - (sumWeighted(digits, [13, 12, ...ELEVEN_DOWN]) % 11)) % 10 === last(digits),
  },
  {
    name: 'ar_tax_id',
    length: 11,
    sizes: /^2-8-1$/,
    first: 2,
    needsLabel: false,
    isValid: (digits) =>
      /^(?:2[034567]|3[034])/.test(digits) && passesElevens(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 9),
  },
  {
    name: 'id_citizen_number',
    length: 16,
    isValid: (digits) => {
      const day = Number(digits.slice(6, 8))
      const month = Number(digits.slice(8, 10))
      return /^[1-9]/.test(digits) && day % 40 >= 1 && day % 40 <= 31 && day < 72 && month >= 1 && month <= 12
    },
  },
  { name: 'ng_identity_number', isUncheckable: true, length: 11, isValid: (digits) => !hasRepeats(digits) },
  { name: 'bd_identity_number', isUncheckable: true, length: [10, 13, 17], isValid: (digits) => !hasRepeats(digits) },
  {
    name: 'jp_individual_number',
    length: 12,
    isValid: (digits) => {
      const rest = sumWeighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
      return (rest <= 1 ? 0 : 11 - rest) === last(digits) && !hasRepeats(digits)
    },
  },
  { name: 'ph_identity_number', isUncheckable: true, length: [12, 16], isValid: (digits) => !hasRepeats(digits) },
  {
    name: 'eg_identity_number',
    length: 14,
    isValid: (digits) => /^[23]/.test(digits) && isDay(digits.slice(1)) && Number(digits.slice(7, 9)) <= 88,
  },
  {
    name: 'vn_citizen_id',
    isUncheckable: true,
    length: [9, 12],
    isValid: (digits) => digits.length === 9 || /^0\d\d[0-9]/.test(digits),
  },
  {
    name: 'ir_national_code',
    length: 10,
    isValid: (digits) => {
      const rest = sumWeighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11
      return !hasRepeats(digits) && (rest < 2 ? rest : 11 - rest) === last(digits)
    },
  },
  { name: 'tr_identity_number', length: 11, isValid: isTurkish },
  { name: 'tz_identity_number', length: 20, isValid: (digits) => /^(?:19|20)/.test(digits) && isDay(digits.slice(2)) },
  {
    name: 'za_identity_number',
    length: 13,
    isValid: (digits) => isDay(digits) && Number(digits.charAt(10)) <= 2 && passesLuhn(digits),
  },
  { name: 'ke_identity_number', isUncheckable: true, length: [7, 8], isValid: (digits) => !hasRepeats(digits) },
  {
    name: 'co_citizen_card',
    isUncheckable: true,
    length: [6, 7, 8, 10],
    isValid: (digits) => digits.charAt(0) !== '0',
  },
  {
    name: 'ua_tax_number',
    length: 10,
    isValid: (digits) => {
      const weighted = sumWeighted(digits, [0, 5, 7, 9, 4, 6, 10, 5, 7]) - Number(digits.charAt(0))
      return (((weighted % 11) + 11) % 11) % 10 === last(digits)
    },
  },
  {
    name: 'ca_social_insurance',
    length: 9,
    isValid: (digits) => passesLuhn(digits) && !/^[08]/.test(digits) && !hasRepeats(digits),
  },
  {
    name: 'au_tax_file_number',
    length: [8, 9],
    isValid: (digits) =>
      (digits.length === 9
        ? sumWeighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10])
        : sumWeighted(digits, [10, 7, 8, 4, 6, 3, 5, 1])) %
        11 ===
      0,
  },
  { name: 'sa_identity_number', length: 10, isValid: (digits) => /^[12]/.test(digits) && passesLuhn(digits) },
]

const CHINESE_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]

/** A Chinese number: a region, a day of birth, a serial number, and a check digit or X. */
const CN_RESIDENT_ID: StructuredKind = {
  name: 'cn_resident_id',
  group: 'CN_RESIDENT_ID',
  numbers: [18, 18],
  mixed: [18, 18],
  labelledBy: 'cn_resident_id',
  findUnchecked({ word, start, end }) {
    return /^\d{17}[\dXx]$/.test(word) ? { start, end } : undefined
  },
  find({ word, start, end, isPart }): Span | undefined {
    if (isPart || !/^[1-9]\d{5}(?:19|20)\d{9}[\dXx]$/.test(word) || !isDay(word.slice(8))) return undefined
    const check = '10X98765432'.charAt(sumWeighted(word, CHINESE_WEIGHTS) % 11)
    return word.charAt(17).toUpperCase() === check ? { start, end } : undefined
  },
}

const CURP = /^[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d$/
const CURP_VALUES = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

/** A Mexican code: letters of the name, a day of birth, sex, state, and a check digit. */
const MX_CURP: StructuredKind = {
  name: 'mx_curp',
  group: 'MX_CURP',
  mixed: [18, 18],
  labelledBy: 'mx_curp',
  findUnchecked({ word, start, end }) {
    return /^[A-Z]{4}\d{6}[A-Z]{6}[0-9A-Z]{2}$/i.test(word) ? { start, end } : undefined
  },
  find({ word, start, end }) {
    if (!CURP.test(word) || !isDay(word.slice(4))) return undefined
    const sum = [...word.slice(0, 17)].reduce((total, char, at) => total + CURP_VALUES.indexOf(char) * (18 - at), 0)
    return (10 - (sum % 10)) % 10 === Number(word.charAt(17)) ? { start, end } : undefined
  },
}

const CARD = /\d{1,2}\/[A-Z]{3,9}\([A-Z]{1,5}\)\d{6}(?!\w)/iy

/** A card of Myanmar: a state, a township, a kind of citizen, and a number. */
const MM_REGISTRATION_CARD: StructuredKind = {
  name: 'mm_registration_card',
  group: 'MM_REGISTRATION_CARD',
  numbers: [1, 2],
  fits: ({ after }) => after === 0x2f,
  find({ text, start, after }) {
    if (after !== 0x2f || isAlphanumeric(text.charCodeAt(start - 1))) return undefined
    CARD.lastIndex = start
    const [found] = CARD.exec(text) ?? []
    return found === undefined ? undefined : { start, end: start + found.length }
  },
}

/** Numbers of the largest countries outside of Europe and North America, and of some more. */
export const WORLD_ID_KINDS: readonly StructuredKind[] = [
  CN_RESIDENT_ID,
  MX_CURP,
  MM_REGISTRATION_CARD,
  ...NUMBER_IDS.map(toRowKind),
]
