import {
  choice,
  EMPTY,
  type Expression,
  fromSet,
  literal,
  NEVER,
  optional,
  rule,
  sequence,
} from '../gbnf/expression.ts'
import { toCharacterSet, toSet } from '../patterns/code-points.ts'
import { anyDigits, anyFraction, type DigitTail, type FractionBound, fractions, wholeNumbers } from './digits.ts'
import type { NumberFacets } from './facets.ts'
import { literalChoice } from './literal-choice.ts'
import type { RuleMaker } from './rule-maker.ts'

/** Largest bound for fractions: a double cannot hold them beyond it. */
const LARGEST_FRACTIONAL = 1e9
/** Most multiples in an explicit list. */
const MAX_LISTED = 512
/** Largest steps that a grammar keeps by itself: with few multiples, and with many. */
const MAX_STEP = 1e9
const MAX_REMAINDERS = 64
/** Largest multiple without a bound beyond it: each further digit repeats all rules. */
const WIDEST_MULTIPLE = 1e12 - 1

/** Whole numbers within the bounds that are multiples of steps up to a limit; the check covers other steps. */
export function integerShape(facets: NumberFacets, rules: RuleMaker): Expression {
  const first = firstInteger(facets)
  const last = lastInteger(facets)
  if (first > last) return NEVER
  const step = wholeStep(facets.multiples)
  const isFree = first === -Number.MAX_SAFE_INTEGER && last === Number.MAX_SAFE_INTEGER
  if (step > 1) return multiples(step, [first, last], rules)
  return isFree ? rule('integer') : signedRange(first, last)
}

/** Numbers within the bounds, with or without fraction. */
export function numberShape(facets: NumberFacets, rules: RuleMaker): Expression {
  const { min, max, multiples: steps } = facets
  const places = decimalPlaces(steps)
  if (steps.length > 0 && places === undefined) return integerShape(facets, rules)
  if (min === undefined && max === undefined) return places === undefined ? rule('number') : fixedPlaces(places)
  const isWritable = [min, max].every((bound) => bound === undefined || isPlainDecimal(bound.value))
  if (!isWritable || places !== undefined) return integerShape(facets, rules)
  return choice(
    min === undefined || min.value < 0 ? sequence(literal('-'), magnitudes(negate(max), negate(min), true)) : NEVER,
    max === undefined || max.value >= 0 ? magnitudes(min, max, false) : NEVER,
  )
}

/** The rules that numbers without bounds share. Exponents stay small: a number that overflows would lose its value. */
export function numberRules(): readonly (readonly [string, Expression])[] {
  const whole = choice(literal('0'), sequence(fromSet(toSet([[0x31, 0x39]])), anyDigits(0, 14)))
  const exponent = sequence(fromSet(toCharacterSet('eE')), optional(fromSet(toCharacterSet('+-'))), anyDigits(1, 2))
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

function signedRange(first: number, last: number, tail?: DigitTail): Expression {
  const negative = first < 0 ? sequence(literal('-'), wholeNumbers(Math.max(1, -last), -first, tail)) : NEVER
  return choice(negative, last >= 0 ? wholeNumbers(Math.max(0, first), last, tail) : NEVER)
}

/** The smallest whole number whose multiples are multiples of all steps; 1 where no small one exists. */
function wholeStep(steps: readonly number[]): number {
  let whole = 1
  for (const step of steps) {
    const factor = [1, 2, 4, 5, 10, 20, 25, 50, 100, 1000].find((one) => Number.isInteger(step * one))
    if (factor === undefined || step * factor > MAX_STEP) return 1
    whole = leastCommonMultiple(whole, step * factor)
  }
  return whole > MAX_STEP ? 1 : whole
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b]
  while (y !== 0) [x, y] = [y, x % y]
  return (a / x) * b
}

/**
 * Multiples of a whole number: an explicit list when they are few, else rules by the remainder of the digits written so
 * far.
 */
function multiples(step: number, [first, last]: readonly [number, number], rules: RuleMaker): Expression {
  const [from, to] = [Math.ceil(first / step), Math.floor(last / step)]
  if (from > to) return NEVER
  if (to - from < MAX_LISTED) {
    rules.spend(to - from)
    const values = Array.from({ length: to - from + 1 }, (_, index) => (from + index) * step)
    return literalChoice(values.map((value) => JSON.stringify(value)))
  }
  if (step > MAX_REMAINDERS) return signedRange(first, last)
  const low = last < -WIDEST_MULTIPLE ? first : Math.max(first, -WIDEST_MULTIPLE)
  const high = first > WIDEST_MULTIPLE ? last : Math.min(last, WIDEST_MULTIPLE)
  return signedRange(low, high, byRemainder(step, rules))
}

/** Free digits that complete a multiple: a rule for each remainder and number of remaining digits. */
function byRemainder(step: number, rules: RuleMaker): DigitTail {
  const defined = new Set<string>()
  const rest = (remainder: number, width: number): Expression => {
    if (width === 0) return remainder === 0 ? EMPTY : NEVER
    const name = `multiple-${step}-${remainder}-${width}-rest`
    if (!defined.has(name)) {
      defined.add(name)
      rules.spend(10)
      const options = Array.from({ length: 10 }, (_, digit) =>
        sequence(literal(String(digit)), rest((remainder * 10 + digit) % step, width - 1)),
      )
      rules.define(name, choice(...options))
    }
    return rule(name)
  }
  return (written, width) => rest(Number(written) % step, width)
}

/** 2 for a step of 0.01; undefined where a step is not a power of ten below 1. */
function decimalPlaces(steps: readonly number[]): number | undefined {
  const [step] = steps
  if (steps.length !== 1 || step === undefined) return undefined
  const places = [1, 2, 3, 4, 5, 6].find((count) => step === Number(`1e-${count}`))
  return places
}

function fixedPlaces(places: number): Expression {
  const whole = choice(literal('0'), sequence(fromSet(toSet([[0x31, 0x39]])), anyDigits(0, 7)))
  return sequence(optional(literal('-')), whole, optional(sequence(literal('.'), anyDigits(1, places))))
}

function isPlainDecimal(value: number): boolean {
  return Math.abs(value) <= LARGEST_FRACTIONAL && !String(value).includes('e')
}

function negate(bound: Bound | undefined): Bound | undefined {
  return bound === undefined ? undefined : { ...bound, value: -bound.value }
}

/** Numbers of at least 0 between two bounds; with `isNegated` they get a minus sign, and zero is left out. */
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
