import type { Span } from '../../span.ts'
import { formatSizes, listNumbers } from './candidate.ts'
import { isAlphanumeric, isDigit } from './characters.ts'
import { passesLuhn } from './checksums.ts'
import type { StructuredKind } from './kind.ts'

const PAIRS =
  /(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![0-9A-Za-z]|[:-][0-9A-Fa-f]{2}(?![0-9A-Za-z]))/y
const QUADS = /[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![0-9A-Za-z]|\.[0-9A-Fa-f])/y
/** Units between the start of an address and the start of its last part. */
const LONGEST_LEAD = 15

/** The address of a network card: six pairs of hex digits, or three groups of four. */
export const MAC_ADDRESS: StructuredKind = {
  name: 'mac_address',
  group: 'MAC_ADDRESS',
  numbers: [2, 4],
  mixed: [2, 4],
  fits: ({ length, before, after }) =>
    length === 2 ? isPairMark(before) || isPairMark(after) : length === 4 && (before === DOT || after === DOT),
  find({ text, start, end, before: left, after }) {
    const size = end - start
    if (size === 3 || (!isJoint(left) && !isJoint(after))) return undefined
    if (size === 2 ? !isAmongPairs(text, start) : !isPairAt(text, start) || !isPairAt(text, start + 2)) return undefined
    const pattern = size === 2 ? PAIRS : QUADS
    const at = leadStart(text, start, size)
    const before = text.charCodeAt(at - 1)
    if (isAlphanumeric(before) || before === 0x2e || before === 0x3a || before === 0x2d) return undefined
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found === undefined || at + found.length < end) return undefined
    // Versions and tables of numbers have dots too.
    const isNumber = pattern === QUADS && !/[A-F]/i.test(found)
    return isNumber || /^(?:00[:.-]?)+$/.test(found) || /^(?:ff[:.-]?)+$/i.test(found)
      ? undefined
      : { start: at, end: at + found.length }
  },
}

const DOT = 0x2e

/** Whether a code unit separates two pairs. */
function isPairMark(unit: number): boolean {
  return unit === 0x3a || unit === 0x2d
}

/** Whether a code unit separates the parts of an address. */
function isJoint(unit: number): boolean {
  return isPairMark(unit) || unit === DOT
}

/** Whether six pairs of hex digits with marks between lie around the pair at an offset. */
function isAmongPairs(text: string, at: number): boolean {
  let pairs = 1
  for (let next = at + 3; pairs < 6 && isPairAt(text, next) && isPairMark(text.charCodeAt(next - 1)); next += 3) pairs++
  for (let last = at - 3; pairs < 6 && isPairAt(text, last) && isPairMark(text.charCodeAt(last + 2)); last -= 3) pairs++
  return pairs >= 6
}

function isPairAt(text: string, at: number): boolean {
  return isHex(text.charCodeAt(at)) && isHex(text.charCodeAt(at + 1))
}

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
}

/** The start of the parts of one size in front of a part: the first part may have no digit. */
function leadStart(text: string, at: number, size: number): number {
  let start = at
  while (at - start < LONGEST_LEAD) {
    const mark = text.charAt(start - 1)
    if (size === 2 ? mark !== ':' && mark !== '-' : mark !== '.') break
    const part = text.slice(start - 1 - size, start - 1)
    if (!/^[0-9A-Fa-f]+$/.test(part) || isAlphanumeric(text.charCodeAt(start - 2 - size))) break
    start -= size + 1
  }
  return start
}

const VIN_FORM = /^[A-HJ-NPR-Z0-9]{17}$/
/** Values of the letters from A to Z in the check of a VIN; 0 for letters that no VIN has. */
const VIN_VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 0, 7, 0, 9, 2, 3, 4, 5, 6, 7, 8, 9]
const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]

/** The number of a vehicle (ISO 3779): with the check of North America, or after a word that announces it. */
export const VIN: StructuredKind = {
  name: 'vin',
  group: 'VIN',
  mixed: [17, 17],
  labelledBy: 'vin',
  findUnchecked({ word, start, end }) {
    return (word.match(/\d/g) ?? []).length >= 3 ? { start, end } : undefined
  },
  find(candidate): Span | undefined {
    const { word, start, end } = candidate
    if (!VIN_FORM.test(word) || !/\d{4}$/.test(word)) return undefined
    return candidate.isNamed('vin') || (hasVinCheck(word) && !candidate.isPart) ? { start, end } : undefined
  },
}

function hasVinCheck(word: string): boolean {
  let sum = 0
  for (const [index, weight] of VIN_WEIGHTS.entries()) {
    const unit = word.charCodeAt(index)
    sum += weight * (unit < 0x41 ? unit - 0x30 : (VIN_VALUES[unit - 0x41] ?? 0))
  }
  return word.charAt(8) === '0123456789X'.charAt(sum % 11)
}

const IMEI_SIZES = new Set(['2-6-6-1', '8-6-1'])

/** The number of a mobile device: in its usual groups, or after a word that announces it. */
export const IMEI: StructuredKind = {
  name: 'imei',
  group: 'IMEI',
  numbers: [2, 16],
  digits: [14, 16],
  labelledBy: 'imei',
  findUnchecked: (candidate) => listNumbers(candidate, 14, 16)[0],
  find(candidate) {
    const [number] = listNumbers(candidate, 15, 15)
    if (number === undefined || !passesLuhn(number.digits) || /^0+$/.test(number.digits)) return undefined
    const isGrouped = IMEI_SIZES.has(formatSizes(number.groups)) && !candidate.isPart
    return isGrouped || candidate.isNamed('imei') ? number : undefined
  },
}
