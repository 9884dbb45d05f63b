import { choice, EMPTY, type Expression, literal, NEVER, oneOf, optional, rule, sequence } from '../gbnf/expression.ts'
import { charactersOf, toSet } from '../patterns/code-points.ts'
import { anyDigits, anyFraction, type FractionBound, fractions, wholeNumbers } from './digits.ts'
import type { NumberFacets } from './facets.ts'

/** Largest bound up to which fractions are written: beyond it a double cannot hold them. */
const LARGEST_FRACTIONAL = 1e9
/** Most multiples that are written out one by one. */
const MAX_LISTED = 512
const NO_SIGN_LIMIT = 10 ** 15 - 1

/** Whole numbers that keep the bounds; `multipleOf` where the last digits tell, else it is checked afterwards. */
export function integerShape(facets: NumberFacets): Expression {
  const first = firstInteger(facets)
  const last = lastInteger(facets)
  if (first > last) return NEVER
  const step = facets.multiples.find((multiple) => Number.isInteger(multiple) && multiple > 1)
  const isFree = first === -Number.MAX_SAFE_INTEGER && last === Number.MAX_SAFE_INTEGER
  if (step !== undefined) return multiples(step, first, last)
  return isFree ? rule('integer') : signedRange(first, last)
}

/** Numbers that keep the bounds, with or without fraction. */
export function numberShape(facets: NumberFacets): Expression {
  const { min, max, multiples: steps } = facets
  const places = decimalPlaces(steps)
  if (steps.length > 0 && places === undefined) return integerShape(facets)
  if (min === undefined && max === undefined) return places === undefined ? rule('number') : fixedPlaces(places)
  const isWritable = [min, max].every((bound) => bound === undefined || isPlainDecimal(bound.value))
  if (!isWritable || places !== undefined) return choice(integerShape(facets))
  return choice(
    min === undefined || min.value < 0 ? sequence(literal('-'), magnitudes(negate(max), negate(min), true)) : NEVER,
    max === undefined || max.value >= 0 ? magnitudes(min, max, false) : NEVER,
  )
}

/** The rules that numbers without bounds share. Exponents stay small: what overflows would no longer be the number. */
export function numberRules(): readonly (readonly [string, Expression])[] {
  const whole = choice(literal('0'), sequence(oneOf(toSet([[0x31, 0x39]])), anyDigits(0, 14)))
  const exponent = sequence(oneOf(charactersOf('eE')), optional(oneOf(charactersOf('+-'))), anyDigits(1, 2))
  const fraction = sequence(literal('.'), anyDigits(1, 15))
  return [
    ['integer', sequence(optional(literal('-')), whole)],
    ['number', sequence(rule('integer'), optional(fraction), optional(exponent))],
  ]
}

type Bound = NonNullable<NumberFacets['min']>

function firstInteger({ min }: NumberFacets): number {
  if (min === undefined) return -Number.MAX_SAFE_INTEGER
  const whole = Math.ceil(min.value)
  return Math.max(-Number.MAX_SAFE_INTEGER, min.isOpen && whole === min.value ? whole + 1 : whole)
}

function lastInteger({ max }: NumberFacets): number {
  if (max === undefined) return Number.MAX_SAFE_INTEGER
  const whole = Math.floor(max.value)
  return Math.min(Number.MAX_SAFE_INTEGER, max.isOpen && whole === max.value ? whole - 1 : whole)
}

function signedRange(first: number, last: number): Expression {
  const negative = first < 0 ? sequence(literal('-'), wholeNumbers(Math.max(1, -last), -first)) : NEVER
  return choice(negative, last >= 0 ? wholeNumbers(Math.max(0, first), last) : NEVER)
}

/** Multiples of a whole number: all of them when they are few, else by their last digits. */
function multiples(step: number, first: number, last: number): Expression {
  const [from, to] = [Math.ceil(first / step), Math.floor(last / step)]
  if (from > to) return NEVER
  if (to - from < MAX_LISTED) {
    const values = Array.from({ length: to - from + 1 }, (_, index) => String((from + index) * step + 0))
    return choice(...values.map((text) => literal(text === '-0' ? '0' : text)))
  }
  const ending = lastDigits(step)
  const range = signedRange(first, last)
  if (ending === undefined || first > 0 || last < NO_SIGN_LIMIT) return range
  const positive = choice(
    literal('0'),
    sequence(oneOf(toSet([[0x31, 0x39]])), anyDigits(0, 10), ending),
    smallMultiples(step),
  )
  return sequence(first <= -NO_SIGN_LIMIT ? optional(literal('-')) : EMPTY, positive)
}

/** The texts that every multiple of a power of ten's divisor ends with. */
function lastDigits(step: number): Expression | undefined {
  for (const width of [1, 2, 3]) {
    if (10 ** width % step !== 0) continue
    const texts = Array.from({ length: 10 ** width / step }, (_, index) => String(index * step).padStart(width, '0'))
    return choice(...texts.map(literal))
  }
  return undefined
}

function smallMultiples(step: number): Expression {
  const count = Math.min(9, Math.floor(999 / step))
  return choice(...Array.from({ length: count }, (_, index) => literal(String((index + 1) * step))))
}

/** 2 for a step of 0.01; undefined where a step is no power of ten below 1. */
function decimalPlaces(steps: readonly number[]): number | undefined {
  const [step] = steps
  if (steps.length !== 1 || step === undefined) return undefined
  const places = [1, 2, 3, 4, 5, 6].find((count) => step === Number(`1e-${count}`))
  return places
}

function fixedPlaces(places: number): Expression {
  const whole = choice(literal('0'), sequence(oneOf(toSet([[0x31, 0x39]])), anyDigits(0, 7)))
  return sequence(optional(literal('-')), whole, optional(sequence(literal('.'), anyDigits(1, places))))
}

function isPlainDecimal(value: number): boolean {
  return Math.abs(value) <= LARGEST_FRACTIONAL && !String(value).includes('e')
}

function negate(bound: Bound | undefined): Bound | undefined {
  return bound === undefined ? undefined : { ...bound, value: -bound.value }
}

/** Numbers of at least 0 between two bounds; with `isNegated` they get a minus sign, and zero stays away. */
function magnitudes(min: Bound | undefined, max: Bound | undefined, isNegated: boolean): Expression {
  const zero: Bound = { value: 0, isOpen: isNegated }
  const low = min === undefined || min.value < 0 || (min.value === 0 && !min.isOpen) ? zero : min
  if (max !== undefined && (max.value < low.value || (max.value === low.value && (max.isOpen || low.isOpen))))
    return NEVER
  const [lowWhole, lowFraction] = split(low)
  if (max === undefined) {
    const above = sequence(wholeNumbers(lowWhole + 1, LARGEST_FRACTIONAL), anyFraction())
    return choice(sequence(literal(String(lowWhole)), fractions(lowFraction, undefined)), above)
  }
  const [highWhole, highFraction] = split(max)
  if (lowWhole === highWhole) return sequence(literal(String(lowWhole)), fractions(lowFraction, highFraction))
  return choice(
    sequence(literal(String(lowWhole)), fractions(lowFraction, undefined)),
    sequence(wholeNumbers(lowWhole + 1, highWhole - 1), anyFraction()),
    sequence(literal(String(highWhole)), fractions({ digits: '', isOpen: false }, highFraction)),
  )
}

function split({ value, isOpen }: Bound): readonly [number, FractionBound] {
  const [whole = '0', digits = ''] = String(value).split('.')
  return [Number(whole), { digits, isOpen }]
}
