import { sprint } from '../format/print.ts'
import { type FunctionTable, fail, fixed, variadic } from '../function.ts'
import { isInt64 } from '../literals.ts'
import { GoInteger, type GoValue, goInt, goInt64 } from '../values.ts'
import { toFloat, toInt } from './cast.ts'
import {
  addDecimals,
  type Decimal,
  decimalOf,
  decimalToNumber,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
} from './decimal.ts'

/** Arithmetic: whole numbers wrap at 64 bits, `…f` functions count in exact decimals. */
export const NUMBER_FUNCTIONS: FunctionTable = {
  int: fixed(['any'], (_, value) => new GoInteger('int', toInt(value))),
  int64: fixed(['any'], (_, value) => goInt64(toInt(value))),
  float64: fixed(['any'], (_, value) => toFloat(value)),
  atoi: fixed(['string'], (_, text) => goInt(parseDecimal(text))),
  toDecimal: fixed(['any'], ({ budget }, value) => goInt64(parseOctal(sprint(budget, [value])))),
  add1: fixed(['any'], (_, value) => goInt64(toInt(value) + 1n)),
  add: variadic([], 'any', (_, __, values) => goInt64(values.reduce((sum: bigint, value) => sum + toInt(value), 0n))),
  sub: fixed(['any', 'any'], (_, left, right) => goInt64(toInt(left) - toInt(right))),
  mul: variadic(['any'], 'any', (_, [first], rest) =>
    goInt64(rest.reduce((product: bigint, value) => BigInt.asIntN(64, product * toInt(value)), toInt(first))),
  ),
  div: fixed(['any', 'any'], (_, left, right) => goInt64(toInt(left) / divisor(right))),
  mod: fixed(['any', 'any'], (_, left, right) => goInt64(toInt(left) % divisor(right))),
  max: variadic(['any'], 'any', (_, [first], rest) => goInt64(extreme(first, rest, (left, right) => left > right))),
  biggest: variadic(['any'], 'any', (_, [first], rest) => goInt64(extreme(first, rest, (left, right) => left > right))),
  min: variadic(['any'], 'any', (_, [first], rest) => goInt64(extreme(first, rest, (left, right) => left < right))),
  maxf: variadic(['any'], 'any', (_, [first], rest) => rest.map(toFloat).reduce((most, next) => Math.max(most, next), toFloat(first))),
  minf: variadic(['any'], 'any', (_, [first], rest) => rest.map(toFloat).reduce((least, next) => Math.min(least, next), toFloat(first))),
  floor: fixed(['any'], (_, value) => Math.floor(toFloat(value))),
  ceil: fixed(['any'], (_, value) => Math.ceil(toFloat(value))),
  round: variadic(['any', 'int'], 'float64', (_, [value, places], [roundOn]) => round(toFloat(value), places, roundOn)),
  add1f: fixed(['any'], (_, value) => decimals(addDecimals, value, [goInt(1)])),
  addf: variadic([], 'any', (_, __, values) => decimals(addDecimals, 0, values)),
  subf: variadic(['any'], 'any', (_, [first], rest) => decimals(subtractDecimals, first, rest)),
  mulf: variadic(['any'], 'any', (_, [first], rest) => decimals(multiplyDecimals, first, rest)),
  divf: variadic(['any'], 'any', (_, [first], rest) => decimals(divideDecimals, first, rest)),
}

function divisor(value: GoValue): bigint {
  const number = toInt(value)
  return number === 0n ? fail('integer divide by zero') : number
}

function extreme(first: GoValue, rest: readonly GoValue[], wins: (left: bigint, right: bigint) => boolean): bigint {
  return rest.map(toInt).reduce((best, next) => (wins(next, best) ? next : best), toInt(first))
}

function decimals(
  operation: (left: Decimal, right: Decimal) => Decimal,
  first: GoValue,
  rest: readonly GoValue[],
): number {
  return decimalToNumber(
    rest.reduce((result: Decimal, value) => operation(result, decimalOf(toFloat(value))), decimalOf(toFloat(first))),
  )
}

/** Rounds up when the digit behind is at least `roundOn`, as sprig does: -2.5 becomes -3. */
function round(value: number, places: number, roundOn = 0.5): number {
  const power = Number(`1e${places}`)
  const shifted = power * value
  const fraction = shifted - Math.trunc(shifted)
  return (fraction >= roundOn ? Math.ceil(shifted) : Math.floor(shifted)) / power
}

/** `strconv.Atoi`, where what does not fit gives the nearest bound and what is no number 0. */
function parseDecimal(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) return 0n
  const isNegative = text.startsWith('-')
  const bound = isNegative ? -(2n ** 63n) : 2n ** 63n - 1n
  const digits = text.replace(/^[+-]?0*/, '')
  if (digits.length > 19) return bound
  const value = isNegative ? -BigInt(digits === '' ? 0 : digits) : BigInt(digits === '' ? 0 : digits)
  return isInt64(value) ? value : bound
}

function parseOctal(text: string): bigint {
  if (!/^[+-]?[0-7]{1,64}$/.test(text)) return 0n
  const value = BigInt(`0o${text.replace(/^[+-]/, '')}`)
  const signed = text.startsWith('-') ? -value : value
  return isInt64(signed) ? signed : 0n
}
