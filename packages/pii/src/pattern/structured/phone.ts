import type { Span } from '../../span.ts'
import { isAlphanumeric, isDigit, isSeparator } from './characters.ts'
import { hasWordBefore } from './digit-groups.ts'

const WORDS = [
  'phone',
  'telephone',
  'tel',
  'mobile',
  'cell',
  'call',
  'fax',
  'whatsapp',
  'sms',
  'telefon',
  'handy',
  'rufnummer',
  'téléphone',
  'portable',
  'teléfono',
  'móvil',
  'telefono',
  'cellulare',
  'telefoon',
]
const PLUS = 0x2b
const OPEN = 0x28
const SLASH = 0x2f
const DOT = 0x2e
const FEWEST = 7
const MOST = 15
/** Fewest digits of a number with its country code. */
const FEWEST_INTERNATIONAL = 8
/** Area, exchange and line of the North American plan. */
const NORTH_AMERICAN = [3, 3, 4]

interface PhoneNumber extends Span {
  readonly groups: readonly number[]
  readonly count: number
}

/**
 * A telephone number: with its country code, in the groups of the North American plan, or after a word that announces
 * it.
 */
export function matchPhone(text: string, at: number): Span | undefined {
  const number = readNumber(text, at)
  if (number === undefined) return undefined
  const isInternational = text.charCodeAt(at) === PLUS || text.startsWith('00', at)
  const groups = number.groups[0] === 1 ? number.groups.slice(1) : number.groups
  const isNorthAmerican = groups.length === 3 && groups.every((size, index) => size === NORTH_AMERICAN[index])
  const isNumber =
    (isInternational && number.count >= FEWEST_INTERNATIONAL) || isNorthAmerican || hasWordBefore(text, at, WORDS)
  return isNumber ? { start: at, end: number.end } : undefined
}

function readNumber(text: string, at: number): PhoneNumber | undefined {
  const groups: number[] = []
  let count = 0
  let end = at
  let position = text.charCodeAt(at) === PLUS ? at + 1 : at
  while (count <= MOST) {
    const start = position
    while (isDigit(text.charCodeAt(position)) && count + position - start <= MOST) position++
    const size = position - start
    if (size > 0) {
      groups.push(size)
      count += size
      end = position
    }
    let marks = 0
    while (marks < 3 && isMark(text.charCodeAt(position))) {
      position++
      marks++
    }
    if (marks === 0 || !isDigit(text.charCodeAt(position))) break
  }
  if (count < FEWEST || count > MOST || isAlphanumeric(text.charCodeAt(end))) return undefined
  return { start: at, end, groups, count }
}

function isMark(unit: number): boolean {
  return isSeparator(unit)
    ? unit !== 0x0a && unit !== 0x0d
    : unit === OPEN || unit === 0x29 || unit === SLASH || unit === DOT
}

/** The possible beginnings of a number. */
export const beginsPhone = (unit: number, before: number): boolean =>
  (isDigit(unit) || unit === PLUS || unit === OPEN) && !isAlphanumeric(before) && before !== PLUS && before !== DOT
