import { isDay, sumWeighted } from './checksums.ts'
import { type CodeId, toCodeKind } from './code-id.ts'
import type { StructuredKind } from './kind.ts'

const toValue = (char: string): number => Number.parseInt(char, 36)

/** The check of Chile: weights from two to seven, from the right. */
function isChilean(code: string): boolean {
  const sum = [...code.slice(0, -1)]
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (2 + (at % 6)), 0)
  return '0K987654321'.charAt(sum % 11) === code.slice(-1)
}

/** The letters of Taiwan, in the order of their numbers from 10 on. */
const TAIWANESE = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'

function isTaiwanese(code: string): boolean {
  const digits = `${10 + TAIWANESE.indexOf(code.charAt(0))}${code.slice(1)}`
  return sumWeighted(digits, [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0
}

function isHongKong(code: string): boolean {
  const values = [...(code.length === 8 ? ` ${code}` : code)].map((char) => (char === ' ' ? 36 : toValue(char)))
  return values.reduce((total, value, at) => total + value * (9 - at), 0) % 11 === 0
}

function isSingaporean(code: string): boolean {
  const sum = sumWeighted(code.slice(1), [2, 7, 6, 5, 4, 3, 2])
  switch (code.charAt(0)) {
    case 'S':
      return 'JZIHGFEDCBA'.charAt(sum % 11) === code.charAt(8)
    case 'T':
      return 'JZIHGFEDCBA'.charAt((sum + 4) % 11) === code.charAt(8)
    case 'F':
      return 'XWUTRQPNMLK'.charAt(sum % 11) === code.charAt(8)
    case 'G':
      return 'XWUTRQPNMLK'.charAt((sum + 4) % 11) === code.charAt(8)
    default:
      return 'XWUTRQPNJLK'.charAt(10 - ((sum + 3) % 11)) === code.charAt(8)
  }
}

function isIrish(code: string): boolean {
  const second = code.length === 9 ? code.charCodeAt(8) - 0x40 : 0
  const sum = sumWeighted(code, [8, 7, 6, 5, 4, 3, 2]) + 9 * (second === 23 ? 0 : second)
  return 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(sum % 23) === code.charAt(7)
}

function isFinnish(code: string): boolean {
  const digits = code.slice(0, 6) + code.slice(-4, -1)
  const isDate = isDay(`00${digits.slice(2, 4)}${digits.slice(0, 2)}`)
  return isDate && '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(digits) % 31) === code.slice(-1)
}

/** The number of the German pension insurance: the sums of the digits of weighted digits. */
function isGermanPension(code: string): boolean {
  const letter = String(code.charCodeAt(8) - 0x40).padStart(2, '0')
  const digits = code.slice(0, 8) + letter + code.slice(9, 11)
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]
  const sum = weights.reduce((total, weight, at) => {
    const product = weight * Number(digits.charAt(at))
    return total + Math.trunc(product / 10) + (product % 10)
  }, 0)
  return sum % 10 === Number(code.charAt(11))
}

function isPortuguese(code: string): boolean {
  const sum = [...code].reduce((total, char, at) => {
    const value = at % 2 === 0 ? toValue(char) * 2 : toValue(char)
    return total + (at % 2 === 0 && value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const CODE_IDS: readonly CodeId[] = [
  {
    name: 'cl_tax_id',
    form: /\d{1,2}(?:\.\d{3}\.\d{3}|\d{6})-?[\dk](?![\w-])/iy,
    isValid: isChilean,
    numbers: [1, 9],
    mixed: [8, 9],
  },
  { name: 'tw_identity_number', form: /[A-Z][1289]\d{8}(?!\w)/iy, isValid: isTaiwanese, mixed: [10, 10] },
  {
    name: 'hk_identity_card',
    form: /[A-Z]{1,2}\d{6} ?(?:\([\dA]\)|[\dA](?!\w))/iy,
    isValid: isHongKong,
    mixed: [7, 9],
  },
  {
    name: 'sg_identity_number',
    form: /[STFGM]\d{7}[A-Z](?!\w)/iy,
    isValid: isSingaporean,
    mixed: [9, 9],
  },
  { name: 'in_tax_number', form: /[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?!\w)/iy, mixed: [10, 10] },
  { name: 'in_voter_number', form: /[A-Z]{3}\d{7}(?!\w)/iy, mixed: [10, 10], isUncheckable: true },
  { name: 'ma_identity_card', form: /[A-Z]{1,2}\d{5,6}(?!\w)/iy, mixed: [6, 8], isUncheckable: true },
  {
    name: 'mx_tax_id',
    form: /[A-ZÑ]{3,4}[ -]?\d{6}[ -]?[A-Z\d]{3}(?!\w)/iy,
    isValid: (code) => isDay(code.slice(-9)),
    mixed: [12, 13],
    numbers: [6, 6],
    lead: /[A-ZÑ]{3,4}-$/i,
  },
  { name: 'ie_public_service_number', form: /\d{7}[A-W][A-IW]?(?!\w)/iy, isValid: isIrish, mixed: [8, 9] },
  {
    name: 'fi_personal_code',
    form: /\d{6}[-+A-FU-Y]\d{3}[\dA-Y](?![\w-])/iy,
    isValid: isFinnish,
    numbers: [6, 6],
    mixed: [11, 11],
  },
  {
    name: 'de_pension_number',
    form: /\d{2} ?\d{6} ?[A-Z] ?\d{3}(?!\w)/iy,
    isValid: isGermanPension,
    numbers: [2, 8],
    mixed: [12, 12],
  },
  {
    name: 'us_medicare_number',
    form: /[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}(?!\w)/iy,
    mixed: [4, 11],
  },
  { name: 'ug_identity_number', form: /C[MF]\d{2}[A-Z\d]{10}(?!\w)/iy, mixed: [14, 14] },
  {
    name: 'gh_identity_card',
    form: /[A-Z]{3}-\d{9}-\d(?!\w)/iy,
    numbers: [9, 9],
    lead: /GHA-$/i,
    isValid: (code) => code.startsWith('GHA'),
  },
  { name: 'ao_identity_card', form: /\d{9}[A-Z]{2}\d{3}(?!\w)/iy, mixed: [14, 14] },
  { name: 'mz_identity_card', form: /\d{12}[A-Z](?!\w)/iy, mixed: [13, 13] },
  {
    name: 've_identity_card',
    form: /[VE]-? ?\d{1,2}\.?\d{3}\.?\d{3}(?![\w-])/iy,
    lead: /[VE]-? ?$/i,
    numbers: [1, 8],
    mixed: [2, 9],
  },
  {
    name: 'pt_citizen_card',
    form: /\d{8}[ -]?\d[ -]?[A-Z\d]{2}\d(?!\w)/iy,
    isValid: isPortuguese,
    numbers: [8, 9],
    mixed: [12, 12],
  },
  {
    name: 'br_identity_card',
    form: /\d{1,2}\.\d{3}\.\d{3}-[\dX](?!\w)/iy,
    numbers: [1, 2],
  },
  { name: 'lk_identity_number', form: /\d{9}[VX](?!\w)/iy, mixed: [10, 10] },
]

/** Codes of letters and digits of more countries. */
export const CODE_ID_KINDS: readonly StructuredKind[] = CODE_IDS.map(toCodeKind)
