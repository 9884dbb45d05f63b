import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric, isCapital, isDigit } from './characters.ts'
import { passesLuhn, passesMod11With10, passesVerhoeff, sumWeighted } from './checksums.ts'
import type { StructuredKind } from './kind.ts'
import { type NumberId, toNumberKind } from './number-id.ts'

const hasRepeats = (digits: string): boolean => [...digits].every((digit) => digit === digits.charAt(0))

/** The numbers of digits only. */
const NATIONAL_IDS: readonly NumberId[] = [
  {
    name: 'us_ssn',
    group: 'US_SSN',
    length: 9,
    // Never assigned: areas 000, 666 and 9xx, group 00, serial 0000.
    isValid: (digits) =>
      !/^(?:000|666|9)/.test(digits) &&
      digits.slice(3, 5) !== '00' &&
      digits.slice(5) !== '0000' &&
      !hasRepeats(digits),
    announcedBy: 'us_ssn',
  },
  {
    name: 'us_itin',
    group: 'US_ITIN',
    length: 9,
    isValid: (digits) => /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-2]|9[4-9])/.test(digits),
    announcedBy: 'us_itin',
  },
  {
    name: 'uk_nhs_number',
    group: 'UK_NHS_NUMBER',
    length: 10,
    isValid: (digits) => (11 - (sumWeighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(digits.at(-1)),
    announcedBy: 'uk_nhs_number',
  },
  {
    name: 'de_tax_id',
    group: 'DE_TAX_ID',
    length: 11,
    isValid: (digits) => digits.charAt(0) !== '0' && passesMod11With10(digits),
    announcedBy: 'de_tax_id',
  },
  {
    name: 'fr_social_security',
    labelledBy: 'fr_social_security',
    sizes: /^(?:15|13-2|1-2-2-2-3-3(?:-2)?)$/,
    group: 'FR_SOCIAL_SECURITY',
    length: 15,
    isValid: (digits) => /^[12]/.test(digits) && 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13)),
  },
  {
    name: 'nl_citizen_service_number',
    group: 'NL_CITIZEN_SERVICE_NUMBER',
    length: 9,
    isValid: (digits) => sumWeighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && !hasRepeats(digits),
    announcedBy: 'nl_citizen_service_number',
  },
  {
    name: 'pl_pesel',
    group: 'PL_PESEL',
    length: 11,
    isValid: (digits) => sumWeighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0 && !hasRepeats(digits),
    announcedBy: 'pl_pesel',
  },
  {
    name: 'ch_social_security',
    labelledBy: 'ch_social_security',
    sizes: /^(?:13|3-4-4-2)$/,
    group: 'CH_SOCIAL_SECURITY',
    length: 13,
    isValid: (digits) =>
      digits.startsWith('756') && sumWeighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  {
    name: 'br_cpf',
    group: 'BR_CPF',
    length: 11,
    isValid: (digits) =>
      !hasRepeats(digits) &&
      ((sumWeighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10 === Number(digits.charAt(9)) &&
      ((sumWeighted(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10 === Number(digits.charAt(10)),
    announcedBy: 'br_cpf',
  },
  {
    name: 'in_aadhaar',
    group: 'IN_AADHAAR',
    length: 12,
    isValid: (digits) => /^[2-9]/.test(digits) && passesVerhoeff(digits),
    announcedBy: 'in_aadhaar',
  },
  {
    name: 'se_personal_number',
    group: 'SE_PERSONAL_NUMBER',
    length: 10,
    isValid: (digits) => passesLuhn(digits) && Number(digits.slice(2, 4)) <= 12 && Number(digits.slice(4, 6)) <= 91,
    announcedBy: 'se_personal_number',
  },
]

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'
const DNI = /([XYZxyz]-?\d{7}|\d{8})[- ]?([A-Za-z])(?![A-Za-z0-9])/y
/** The same with dots, or with no check letter. */
const DNI_FORM = /(?:[XYZ]-?\d{7}|\d{8}|\d{1,2}\.\d{3}\.\d{3})(?:[- ]?[A-Z])?(?![A-Z0-9])/iy

const SHORTEST_DNI = 7

/** A Spanish DNI or NIE: eight digits, or a letter and seven, and a check letter. */
const ES_DNI: StructuredKind = {
  name: 'es_dni',
  group: 'ES_DNI',
  numbers: [1, 8],
  mixed: [8, 9],
  fits: ({ length }) => length >= SHORTEST_DNI,
  labelledBy: 'es_dni',
  findUnchecked: (candidate) => matchAtStart(DNI_FORM, candidate),
  find({ text, start, end, before }) {
    if (end - start < SHORTEST_DNI) return undefined
    const at = before === 0x2d && /[XYZ]/i.test(text.charAt(start - 2)) ? start - 2 : start
    if (at !== start && isAlphanumeric(text.charCodeAt(at - 1))) return undefined
    DNI.lastIndex = at
    const [whole, number = '', letter = ''] = DNI.exec(text) ?? []
    if (whole === undefined) return undefined
    const prefix = 'XYZ'.indexOf(number.charAt(0).toUpperCase())
    const digits = Number(`${prefix >= 0 ? prefix : ''}${number.replace(/\D/g, '')}`)
    return letter.toUpperCase() === DNI_LETTERS.charAt(digits % 23) ? { start: at, end: at + whole.length } : undefined
  },
}

/** A British number: two letters that are assigned, six digits in pairs or not, and a letter from A to D. */
const NINO =
  /(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d\d[ -]?\d\d[ -]?\d\d[ -]?[A-D](?![A-Za-z0-9])/y

/** Any two letters, in any case, and a letter or none at the end. */
const NINO_FORM = /[A-Z]{2}[ -]?\d\d[ -]?\d\d[ -]?\d\d(?:[ -]?[A-Z])?(?![A-Z0-9])/iy

function matchAtStart(form: RegExp, { text, start }: Candidate, lead = 0): Span | undefined {
  const at = start - lead
  if (at < 0 || isAlphanumeric(text.charCodeAt(at - 1))) return undefined
  form.lastIndex = at
  const [found] = form.exec(text) ?? []
  return found === undefined ? undefined : { start: at, end: at + found.length }
}

const UK_NINO: StructuredKind = {
  name: 'uk_nino',
  group: 'UK_NINO',
  numbers: [2, 6],
  mixed: [7, 9],
  fits: ({ first, before }) => first === 'letter' || before === 0x20 || before === 0x2d,
  labelledBy: 'uk_nino',
  findUnchecked: (candidate) =>
    matchAtStart(NINO_FORM, candidate, isDigit(candidate.text.charCodeAt(candidate.start)) ? 3 : 0),
  find({ text, start, before }) {
    const isParted = isDigit(text.charCodeAt(start))
    if (isParted && before !== 0x20 && before !== 0x2d) return undefined
    const at = isParted ? start - 3 : start
    if (!isCapital(text.charCodeAt(at)) || !isCapital(text.charCodeAt(at + 1))) return undefined
    if (at < 0 || isAlphanumeric(text.charCodeAt(at - 1))) return undefined
    NINO.lastIndex = at
    const [found] = NINO.exec(text) ?? []
    return found === undefined ? undefined : { start: at, end: at + found.length }
  },
}

/** The form of an Italian code; letters replace digits where two people would share one. */
const FISCAL_CODE = /^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$/
/** Values of the characters 0 to 9 and A to Z at odd places. */
const ODD_VALUES = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

const IT_FISCAL_CODE: StructuredKind = {
  name: 'it_fiscal_code',
  group: 'IT_FISCAL_CODE',
  mixed: [16, 16],
  labelledBy: 'it_fiscal_code',
  findUnchecked({ word, start, end }) {
    return /^[A-Z]{6}[0-9A-Z]{9}[A-Z]$/i.test(word) ? { start, end } : undefined
  },
  find({ word, start, end }): Span | undefined {
    const code = word.toUpperCase()
    if (!FISCAL_CODE.test(code)) return undefined
    let sum = 0
    for (let at = 0; at < 15; at++) {
      const value = Number.parseInt(code.charAt(at), 36)
      const index = value > 9 ? value - 10 : value
      sum += at % 2 === 0 ? (ODD_VALUES[index] ?? 0) : index
    }
    return code.charCodeAt(15) - 0x41 === sum % 26 ? { start, end } : undefined
  },
}

/** Numbers that states assign to persons, the more specific before the more general. */
export const NATIONAL_ID_KINDS: readonly StructuredKind[] = [
  ...NATIONAL_IDS.map(toNumberKind),
  ES_DNI,
  UK_NINO,
  IT_FISCAL_CODE,
]
