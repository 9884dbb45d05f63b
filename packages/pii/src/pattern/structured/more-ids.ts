import { hasRepeats, isDay, passesElevens, passesLuhn, passesMod11With10, sumWeighted } from './checksums.ts'
import type { StructuredKind } from './kind.ts'
import { type NumberRow, toRowKind } from './number-id.ts'

const last = (digits: string): number => Number(digits.at(-1))
/** Whether six digits are day, month and year. */
const isDayFirst = (digits: string): boolean => isDay(`00${digits.slice(2, 4)}${digits.slice(0, 2)}`)
const isAnything = (digits: string): boolean => !hasRepeats(digits)

/** Whether six digits are year, month and day, with a number of twenties or fifties added to the month. */
function isDayWithShift(digits: string, shifts: readonly number[]): boolean {
  const month = Number(digits.slice(2, 4))
  return shifts.some((shift) => isDay(`00${String(month - shift).padStart(2, '0')}${digits.slice(4, 6)}`))
}

function isBelgian(digits: string): boolean {
  const check = Number(digits.slice(9))
  return check === 97 - (Number(digits.slice(0, 9)) % 97) || check === 97 - (Number(`2${digits.slice(0, 9)}`) % 97)
}

function isCzech(digits: string): boolean {
  if (!isDayWithShift(digits, [0, 20, 50, 70])) return false
  return digits.length === 9 ? Number(digits.slice(0, 2)) < 54 : Number(digits) % 11 === 0
}

function isNorwegian(digits: string): boolean {
  const first = (11 - (sumWeighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2]) % 11)) % 11
  return first === Number(digits.charAt(9)) && passesElevens(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2], -1)
}

/** The check of Kazakhstan, Estonia and Lithuania: a second row of weights where the first gives ten. */
function passesTwice(digits: string, first: readonly number[], second: readonly number[], forTen: number): boolean {
  const once = sumWeighted(digits, first) % 11
  const twice = sumWeighted(digits, second) % 11
  const check = once === 10 ? twice : once
  return (check === 10 ? forTen : check) === last(digits)
}

/** The affiliation of the Spanish social security: province, number, and the remainder of 97. */
function isSpanishAffiliation(digits: string): boolean {
  const number = digits.slice(2, 10)
  const checked = number.startsWith('0') ? Number(digits.slice(0, 2) + number.slice(1)) : Number(digits.slice(0, 10))
  return checked % 97 === Number(digits.slice(10))
}

function isBrazilianVoter(digits: string): boolean {
  const first = (sumWeighted(digits, [2, 3, 4, 5, 6, 7, 8, 9]) % 11) % 10
  const second = (sumWeighted(digits.slice(8), [7, 8, 9]) % 11) % 10
  return first === Number(digits.charAt(10)) && second === last(digits)
}

const FIFTEEN_DOWN = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]

const NUMBER_IDS: readonly NumberRow[] = [
  {
    name: 'pt_tax_number',
    length: 9,
    isValid: (digits) => /^[1-35-9]/.test(digits) && passesElevens(digits, [9, 8, 7, 6, 5, 4, 3, 2], 0),
  },
  {
    name: 'pt_social_security',
    length: 11,
    isValid: (digits) => 9 - (sumWeighted(digits, [29, 23, 19, 17, 13, 11, 7, 5, 3, 2]) % 10) === last(digits),
  },
  { name: 'pt_health_number', isUncheckable: true, length: 9, isValid: isAnything },
  {
    name: 'ec_citizen_card',
    length: 10,
    isValid: (digits) => /^(?:[01]\d|2[0-4]|30)[0-5]/.test(digits) && passesLuhn(digits),
  },
  { name: 'be_national_number', length: 11, isValid: isBelgian },
  { name: 'cz_birth_number', length: [9, 10], isValid: isCzech },
  { name: 'dk_personal_number', length: 10, isValid: isDayFirst },
  { name: 'no_birth_number', length: 11, isValid: isNorwegian },
  {
    name: 'ro_personal_code',
    length: 13,
    isValid: (digits) => {
      const rest = sumWeighted(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11
      return /^[1-9]/.test(digits) && isDay(digits.slice(1)) && (rest === 10 ? 1 : rest) === last(digits)
    },
  },
  {
    name: 'at_social_insurance',
    length: 10,
    isValid: (digits) => sumWeighted(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(digits.charAt(3)),
  },
  {
    name: 'gr_tax_number',
    length: 9,
    isValid: (digits) => (sumWeighted(digits, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === last(digits),
  },
  { name: 'gr_social_security', length: 11, isValid: (digits) => isDayFirst(digits) && passesLuhn(digits) },
  { name: 'il_identity_number', length: 9, isValid: (digits) => passesLuhn(digits) && isAnything(digits) },
  {
    name: 'kz_individual_number',
    length: 12,
    isValid: (digits) =>
      isDay(digits) &&
      passesTwice(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2], -1),
  },
  { name: 'uz_personal_number', length: 14, isValid: (digits) => /^[1-6]/.test(digits) && isDayFirst(digits.slice(1)) },
  {
    name: 'bg_personal_number',
    length: 10,
    isValid: (digits) =>
      isDayWithShift(digits, [0, 20, 40]) &&
      (sumWeighted(digits, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === last(digits),
  },
  { name: 'hr_personal_number', length: 11, isValid: passesMod11With10 },
  {
    name: 'ee_personal_code',
    length: 11,
    isValid: (digits) =>
      /^[1-6]/.test(digits) && passesTwice(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1], [3, 4, 5, 6, 7, 8, 9, 1, 2, 3], 0),
  },
  { name: 'es_social_security', length: 12, isValid: isSpanishAffiliation },
  { name: 'mx_social_security', length: 11, isValid: (digits) => passesLuhn(digits) && isAnything(digits) },
  {
    name: 'br_social_number',
    length: 11,
    isValid: (digits) => passesElevens(digits, [3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 0) && isAnything(digits),
  },
  { name: 'br_voter_number', length: 12, isValid: isBrazilianVoter },
  {
    name: 'br_health_card',
    length: 15,
    isValid: (digits) => /^[12789]/.test(digits) && sumWeighted(digits, FIFTEEN_DOWN) % 11 === 0,
  },
  {
    name: 'my_identity_card',
    length: 12,
    sizes: /^6-2-4$/,
    first: 6,
    needsLabel: false,
    isValid: (digits) => isDay(digits) && /^.{6}(?:0[1-9]|[1-9]\d)/.test(digits),
  },
  { name: 'dz_identity_number', isUncheckable: true, length: 18, isValid: isAnything },
  { name: 'et_identity_number', isUncheckable: true, length: [12, 16], isValid: isAnything },
  { name: 'iq_identity_number', isUncheckable: true, length: 12, isValid: isAnything },
  { name: 'af_identity_card', isUncheckable: true, length: 13, isValid: isAnything },
  { name: 'sd_identity_number', isUncheckable: true, length: 11, isValid: isAnything },
  { name: 'pe_identity_card', isUncheckable: true, length: 8, isValid: isAnything },
  {
    name: 'au_medicare_number',
    length: [10, 11],
    isValid: (digits) =>
      /^[2-6]/.test(digits) && sumWeighted(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === Number(digits.charAt(8)),
  },
  {
    name: 'uk_tax_reference',
    length: 10,
    isValid: (digits) =>
      '21987654321'.charAt(sumWeighted(digits, [0, 6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11) === digits.charAt(0),
  },
]

/** Numbers of more countries, of digits only. */
export const MORE_ID_KINDS: readonly StructuredKind[] = NUMBER_IDS.map(toRowKind)
