import { TemplateFloat } from '../../number.ts'
import { toCount, toIndex } from '../arguments.ts'
import { raise } from '../errors.ts'
import { failOnUndefined } from '../fail-on-undefined.ts'
import { truncateFloat } from '../format/number-form.ts'
import {
  divideNumbers,
  multiplyNumbers,
  negateNumber,
  type Operand,
  raiseToPower,
  toFloat,
  toOperand,
} from '../numbers/arithmetic.ts'
import { divideToEven, scaleToInteger } from '../numbers/decimal.ts'
import { isNegative, printFixed } from '../numbers/float-text.ts'
import { type Integer, payForInteger, toInteger } from '../numbers/integer.ts'
import { MAX_INTEGER_DIGITS, parseFloatText, parseIntegerText } from '../numbers/parse.ts'
import type { Rendering } from '../rendering.ts'
import { isTrue } from '../truth.ts'
import { define, type Implementation } from '../values/callable.ts'
import { typeName } from '../values/type-name.ts'
import { isText, toPlainText, type Value } from '../values/value.ts'

/** No float has more decimals than this, nor more digits before the point. */
const MAX_PLACES = 330

/** Steps that the digits of a float take. */
const FLOAT_DIGITS_COST = 32

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB']
const BINARY_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB']

/** Filters on numbers, and filters that return them. */
export const NUMBER_FILTERS: ReadonlyMap<string, Implementation> = new Map([
  [
    'abs',
    define('abs', 'x', (_run, [value]) => {
      const operand = toOperand(value) ?? raise('TypeError', `bad operand type for abs(): '${typeName(value)}'`)
      if (operand instanceof TemplateFloat) return new TemplateFloat(Math.abs(operand.value))
      return operand < 0 ? negateNumber(operand) : operand
    }),
  ],
  [
    'int',
    define('int', 'value default? base?', (run, [value, fallback = 0, base = 10]) => {
      if (isText(value)) payForDigits(run, toPlainText(value).length)
      const integer = toIntegerOrNothing(value, base)
      return integer === undefined ? fallback : integer
    }),
  ],
  [
    'float',
    define('float', 'value default?', (run, [value, fallback = new TemplateFloat(0)]) => {
      if (isText(value)) run.walk(toPlainText(value).length)
      const float = toFloatOrNothing(value)
      return float === undefined ? fallback : new TemplateFloat(float)
    }),
  ],
  [
    'round',
    define('round', 'value precision? method?', (run, [value, precision = 0, method = 'common']) =>
      round(run, value, { precision, method }),
    ),
  ],
  [
    'filesizeformat',
    define('filesizeformat', 'value binary?', (_run, [value, binary = false]) => {
      const size = toFloatOrNothing(value)
      if (size === undefined) return raise(isText(value) ? 'ValueError' : 'TypeError', 'could not convert to float')
      return printSize(size, isTrue(binary))
    }),
  ],
])

function toIntegerOrNothing(value: Value, base: Value): Integer | undefined {
  failOnUndefined(value)
  if (!isText(value)) {
    const operand = toOperand(value)
    if (!(operand instanceof TemplateFloat)) return operand
    return Number.isNaN(operand.value) ? undefined : truncateFloat(operand.value)
  }
  const text = toPlainText(value)
  const integer = typeof base === 'number' ? parseIntegerText(text, base) : undefined
  if (integer !== undefined) return integer
  const float = parseFloatText(text)
  return float === undefined || !Number.isFinite(float) ? undefined : truncateFloat(float)
}

/** Reading digits of any base takes quadratic time, up to the length that is read at all. */
function payForDigits(run: Rendering, length: number): void {
  run.walk(length + Math.min(length, MAX_INTEGER_DIGITS) ** 2 / 64)
}

function toFloatOrNothing(value: Value): number | undefined {
  failOnUndefined(value)
  if (isText(value)) return parseFloatText(toPlainText(value))
  const operand = toOperand(value)
  return operand === undefined ? undefined : toFloat(operand)
}

function round(
  run: Rendering,
  value: Value,
  { precision, method }: { readonly precision: Value; readonly method: Value },
): Value {
  if (method !== 'common' && method !== 'ceil' && method !== 'floor') {
    raise('FilterArgumentError', 'method must be common, ceil or floor')
  }
  if (method !== 'common') failOnUndefined(value)
  const operand = toOperand(value) ?? raise('TypeError', `type ${typeName(value)} doesn't define __round__ method`)
  if (method === 'common') return roundToEven(run, operand, toCount(precision))
  const scale = raiseToPower(run, 10, toIndex(precision))
  const scaled = multiplyNumbers(run, operand, scale)
  return divideNumbers(run, scaled instanceof TemplateFloat ? roundTowards(scaled.value, method) : scaled, scale)
}

function roundTowards(value: number, method: 'ceil' | 'floor'): Integer {
  return truncateFloat(Number.isFinite(value) ? Math[method](value) : value)
}

function roundToEven(run: Rendering, operand: Operand, places: number): Operand {
  if (operand instanceof TemplateFloat) {
    const { value } = operand
    if (!Number.isFinite(value) || places > MAX_PLACES) return operand
    run.spend(FLOAT_DIGITS_COST)
    const digits = places < -MAX_PLACES ? '0' : scaleToInteger(value, places).toString()
    const size = Number(`${digits}e${-places}`)
    return new TemplateFloat(isNegative(value) ? -size : size)
  }
  if (places >= 0) return operand
  if (-places > MAX_PLACES * 20) return 0
  payForInteger(run, operand)
  const unit = 10n ** BigInt(-places)
  const big = BigInt(operand)
  const size = divideToEven(big < 0n ? -big : big, unit) * unit
  return toInteger(big < 0n ? -size : size)
}

function printSize(size: number, binary: boolean): string {
  const base = binary ? 1024 : 1000
  if (size === 1) return '1 Byte'
  if (size < base) return `${truncateFloat(size)} Bytes`
  const units = binary ? BINARY_UNITS : UNITS
  let shown = ''
  for (const [index, name] of units.entries()) {
    const next = Number(BigInt(base) ** BigInt(index + 2))
    shown = `${printFixed((base * size) / next, 1)} ${name}`
    if (size < next) break
  }
  return shown
}
