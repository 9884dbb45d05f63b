import type { Span } from '../../span.ts'
import type { BuiltinName } from '../builtin-names.ts'
import { isAlphanumeric, isDigit, isLetter } from './characters.ts'
import { passesLuhn, passesMod11With10, passesVerhoeff, sumWeighted } from './checksums.ts'
import { hasWordBefore, listNumbers } from './digit-groups.ts'

/** A number that a state assigns to a person. */
export interface NationalId {
  readonly name: BuiltinName
  readonly group: string
  /** Number of digits; for a number with letters, see `at`. */
  readonly length: number
  readonly isValid: (digits: string) => boolean
  /** Words of which one must stand before it, when the check alone accepts too many other numbers. */
  readonly words?: readonly string[]
}

const hasRepeats = (digits: string): boolean => [...digits].every((digit) => digit === digits.charAt(0))

/** The numbers of digits only. */
export const NATIONAL_IDS: readonly NationalId[] = [
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
    words: ['ssn', 'social security', 'social security number', 'ss#', 'tax id', 'taxpayer'],
  },
  {
    name: 'uk_nhs_number',
    group: 'UK_NHS_NUMBER',
    length: 10,
    isValid: (digits) => (11 - (sumWeighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(digits.at(-1)),
    words: ['nhs', 'national health', 'patient'],
  },
  {
    name: 'de_tax_id',
    group: 'DE_TAX_ID',
    length: 11,
    isValid: (digits) => digits.charAt(0) !== '0' && passesMod11With10(digits),
    words: [
      'steuer-id',
      'steuer-identifikationsnummer',
      'steueridentifikationsnummer',
      'idnr',
      'steuernummer',
      'tax id',
    ],
  },
  {
    name: 'fr_social_security',
    group: 'FR_SOCIAL_SECURITY',
    length: 15,
    isValid: (digits) => /^[12]/.test(digits) && 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13)),
  },
  {
    name: 'nl_citizen_service_number',
    group: 'NL_CITIZEN_SERVICE_NUMBER',
    length: 9,
    isValid: (digits) => sumWeighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && !hasRepeats(digits),
    words: ['bsn', 'burgerservicenummer', 'sofinummer'],
  },
  {
    name: 'pl_pesel',
    group: 'PL_PESEL',
    length: 11,
    isValid: (digits) => sumWeighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0 && !hasRepeats(digits),
    words: ['pesel'],
  },
  {
    name: 'ch_social_security',
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
    words: ['cpf', 'cadastro de pessoas físicas'],
  },
  {
    name: 'in_aadhaar',
    group: 'IN_AADHAAR',
    length: 12,
    isValid: (digits) => /^[2-9]/.test(digits) && passesVerhoeff(digits),
    words: ['aadhaar', 'aadhar', 'uidai', 'uid'],
  },
  {
    name: 'se_personal_number',
    group: 'SE_PERSONAL_NUMBER',
    length: 10,
    isValid: (digits) => passesLuhn(digits) && Number(digits.slice(2, 4)) <= 12 && Number(digits.slice(4, 6)) <= 91,
    words: ['personnummer', 'personal number', 'samordningsnummer'],
  },
]

/** Creates a matcher of a number of digits only. */
export function createNationalIdMatcher(id: NationalId): (text: string, at: number) => Span | undefined {
  return (text, at) =>
    listNumbers(undotted(text, at), 0, id.length)
      .filter(({ digits }) => digits.length === id.length && id.isValid(digits))
      .filter(() => id.words === undefined || hasWordBefore(text, at, id.words))
      .map(({ start, end }) => ({ start: at + start, end: at + end }))
      .at(0)
}

const LONGEST = 32

/** The text from an offset on with dots between digits as hyphens: some of these numbers are written with dots. */
function undotted(text: string, at: number): string {
  return text.slice(at, at + LONGEST).replaceAll('.', '-')
}

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** A Spanish DNI or NIE: eight digits, or a letter and seven, and a check letter. */
export function matchSpanishId(text: string, at: number): Span | undefined {
  const prefix = 'XYZ'.indexOf(text.charAt(at).toUpperCase())
  const first = text.charAt(at) !== '' && prefix >= 0 ? at + 1 : at
  const start = prefix >= 0 && text.charAt(first) === '-' ? first + 1 : first
  const length = prefix >= 0 ? 7 : 8
  let position = start
  while (position - start < length && isDigit(text.charCodeAt(position))) position++
  if (position - start < length) return undefined
  const number = Number(`${prefix >= 0 ? prefix : ''}${text.slice(start, position)}`)
  if (text.charAt(position) === '-' || text.charAt(position) === ' ') position++
  const letter = text.charAt(position).toUpperCase()
  if (letter === '' || letter !== DNI_LETTERS.charAt(number % 23)) return undefined
  return isAlphanumeric(text.charCodeAt(position + 1)) ? undefined : { start: at, end: position + 1 }
}

/** The possible beginnings of a Spanish number. */
export const beginsSpanishId = (unit: number, before: number): boolean =>
  (isDigit(unit) || (isLetter(unit) && 'XYZxyz'.includes(String.fromCharCode(unit)))) && !isAlphanumeric(before)
