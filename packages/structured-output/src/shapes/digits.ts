import { choice, EMPTY, type Expression, fromSet, literal, NEVER, repeat, sequence } from '../gbnf/expression.ts'
import { DIGITS, toSet } from '../patterns/code-points.ts'

/** The given number of decimal digits. */
export function anyDigits(min: number, max = min): Expression {
  return repeat(fromSet(DIGITS), min, max)
}

/** One digit of a range, 0 to 9; no match when the range is empty. */
function digitIn(first: number, last: number): Expression {
  if (first > last) return NEVER
  return first === last ? literal(String(first)) : fromSet(toSet([[0x30 + first, 0x30 + last]]))
}

const WIDEST = 16

/** The continuation after written digits, for the given number of further digits. */
export type DigitTail = (written: string, width: number) => Expression

/**
 * Whole numbers from `first` to `last`, both at least 0 and safe integers, without leading zeros.
 *
 * @param tail expression of free digits. @default any
 */
export function wholeNumbers(first: number, last: number, tail?: DigitTail): Expression {
  if (first > last) return NEVER
  const options: Expression[] = []
  for (let width = 1; width <= WIDEST; width += 1) {
    const low = Math.max(first, width === 1 ? 0 : 10 ** (width - 1))
    const high = Math.min(last, 10 ** width - 1)
    if (low <= high) options.push(sameWidth('', [String(low), String(high)], tail))
  }
  return choice(...options)
}

/** Digit texts of one length, from `low` to `high`, after the digits written so far. */
function sameWidth(written: string, [low, high]: readonly [string, string], tail: DigitTail | undefined): Expression {
  if (low === high) return tail === undefined ? literal(low) : sequence(literal(low), tail(written + low, 0))
  const [from, to] = [Number(low[0]), Number(high[0])]
  const [lowRest, highRest] = [low.slice(1), high.slice(1)]
  const after = (digit: number, rest: readonly [string, string]): Expression =>
    sequence(literal(String(digit)), sameWidth(`${written}${digit}`, rest, tail))
  if (from === to) return after(from, [lowRest, highRest])
  const width = lowRest.length
  const [zeros, nines] = ['0'.repeat(width), '9'.repeat(width)]
  const [firstFree, lastFree] = [lowRest === zeros ? from : from + 1, highRest === nines ? to : to - 1]
  return choice(
    firstFree === from ? NEVER : after(from, [lowRest, nines]),
    freeAfter(written, { firstFree, lastFree, width }, tail),
    lastFree === to ? NEVER : after(to, [zeros, highRest]),
  )
}

function freeAfter(
  written: string,
  { firstFree, lastFree, width }: { readonly firstFree: number; readonly lastFree: number; readonly width: number },
  tail: DigitTail | undefined,
): Expression {
  if (tail === undefined) return sequence(digitIn(firstFree, lastFree), anyDigits(width))
  const digits = Array.from({ length: Math.max(0, lastFree - firstFree + 1) }, (_, index) => String(firstFree + index))
  return choice(...digits.map((digit) => sequence(literal(digit), tail(written + digit, width))))
}

/** A bound of a fraction: its digits without trailing zeros, and whether it is exclusive. */
export interface FractionBound {
  readonly digits: string
  readonly isOpen: boolean
}

/** Most digits after the part of a fraction that a bound decides. */
const FREE_DIGITS = 6

/** An optional fraction after the whole part of a number. */
export function anyFraction(): Expression {
  return repeat(sequence(literal('.'), anyDigits(1, FREE_DIGITS)), 0, 1)
}

/** Fractions between two bounds; a missing bound leaves that side free. */
export function fractions(low: FractionBound, high: FractionBound | undefined): Expression {
  const isZeroAllowed = low.digits === '' && !low.isOpen && (high === undefined || high.digits !== '' || !high.isOpen)
  const digits = high === undefined ? atLeast(low, true) : between(low, high, true)
  return choice(isZeroAllowed ? EMPTY : NEVER, sequence(literal('.'), digits))
}

/** Digits of a fraction of at least `digits`. The first place needs at least one digit. */
function atLeast({ digits, isOpen }: FractionBound, isFirst: boolean): Expression {
  const [first] = digits
  if (first === undefined) {
    return isOpen
      ? sequence(repeat(literal('0'), 0, 3), digitIn(1, 9), anyDigits(0, FREE_DIGITS))
      : anyDigits(isFirst ? 1 : 0, FREE_DIGITS)
  }
  const digit = Number(first)
  return choice(
    sequence(digitIn(digit + 1, 9), anyDigits(0, FREE_DIGITS)),
    sequence(literal(first), atLeast({ digits: digits.slice(1), isOpen }, false)),
  )
}

/** Digits of a fraction of at most `digits`. The first place needs at least one digit. */
function atMost({ digits, isOpen }: FractionBound, isFirst: boolean): Expression {
  const [first] = digits
  if (first === undefined) return isOpen ? NEVER : repeat(literal('0'), isFirst ? 1 : 0, 3)
  const digit = Number(first)
  return choice(
    isFirst ? NEVER : EMPTY,
    sequence(digitIn(0, digit - 1), anyDigits(0, FREE_DIGITS)),
    sequence(literal(first), atMost({ digits: digits.slice(1), isOpen }, false)),
  )
}

function between(low: FractionBound, high: FractionBound, isFirst: boolean): Expression {
  if (low.digits === '' && !low.isOpen) return atMost(high, isFirst)
  if (low.digits === '' && high.digits === '') return NEVER
  const [from, to] = [Number(low.digits[0] ?? 0), Number(high.digits[0] ?? 0)]
  const [lowRest, highRest] = [
    { ...low, digits: low.digits.slice(1) },
    { ...high, digits: high.digits.slice(1) },
  ]
  if (from > to) return NEVER
  if (from === to) return sequence(literal(String(from)), between(lowRest, highRest, false))
  return choice(
    sequence(literal(String(from)), atLeast(lowRest, false)),
    sequence(digitIn(from + 1, to - 1), anyDigits(0, FREE_DIGITS)),
    sequence(literal(String(to)), atMost(highRest, false)),
  )
}
