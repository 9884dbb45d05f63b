import { fail } from '../errors.ts'
import { sprint } from '../format/print.ts'
import { type FunctionTable, fixed, variadic } from '../function.ts'
import { isInt64 } from '../literals.ts'
import { GoInteger, type GoValue, goInt, goInt64 } from '../values.ts'
import { parseDecimal, toFloat, toInt } from './cast.ts'
import {
  addDecimals,
  type Decimal,
  decimalToNumber,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
  toDecimal,
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
  maxf: variadic(['any'], 'any', (_, [first], rest) => extremeFloat(first, rest, Math.max)),
  minf: variadic(['any'], 'any', (_, [first], rest) => extremeFloat(first, rest, Math.min)),
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

/** Go prefers an infinity to NaN where it is the extreme. */
function extremeFloat(first: GoValue, rest: readonly GoValue[], pick: (...values: number[]) => number): number {
  const bound = -pick()
  return rest
    .map(toFloat)
    .reduce((best, next) => (best === bound || next === bound ? bound : pick(best, next)), toFloat(first))
}

function decimals(
  operation: (left: Decimal, right: Decimal) => Decimal,
  first: GoValue,
  rest: readonly GoValue[],
): number {
  return decimalToNumber(
    rest.reduce((result: Decimal, value) => operation(result, toDecimal(toFloat(value))), toDecimal(toFloat(first))),
  )
}

/** Rounds up when the next digit is at least `roundOn`, as sprig does: -2.5 becomes -3. */
function round(value: number, places: number, roundOn = 0.5): number {
  const power = Number(`1e${places}`)
  const shifted = power * value
  const fraction = shifted - Math.trunc(shifted)
  return (fraction >= roundOn ? Math.ceil(shifted) : Math.floor(shifted)) / power
}

function parseOctal(text: string): bigint {
  if (!/^[+-]?[0-7]{1,64}$/.test(text)) return 0n
  const value = BigInt(`0o${text.replace(/^[+-]/, '')}`)
  const signed = text.startsWith('-') ? -value : value
  return isInt64(signed) ? signed : 0n
}
