import { TemplateFloat } from '../../number.ts'
import { raise } from '../errors.ts'
import type { Rendering } from '../rendering.ts'
import type { Value } from '../values/value.ts'
import {
  checkedInteger,
  countBits,
  divideExactly,
  floorDivide,
  floorRemainder,
  type Integer,
  payForInteger,
} from './integer.ts'

/** A number as operators see it; booleans are integers. */
export type Operand = Integer | TemplateFloat

/** The number in a value; undefined for any other value. */
export function toOperand(value: Value): Operand | undefined {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return value
    case 'boolean':
      return value ? 1 : 0
    default:
      return value instanceof TemplateFloat ? value : undefined
  }
}

/** A number as a float. @throws OverflowError for integers beyond every float */
export function toFloat(operand: Operand): number {
  if (operand instanceof TemplateFloat) return operand.value
  const value = Number(operand)
  if (!Number.isFinite(value)) raise('OverflowError', 'int too large to convert to float')
  return value
}

export function addNumbers(run: Rendering, left: Operand, right: Operand): Operand {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right
    if (Number.isSafeInteger(sum)) return sum
  }
  if (left instanceof TemplateFloat || right instanceof TemplateFloat) {
    return new TemplateFloat(toFloat(left) + toFloat(right))
  }
  return checkedInteger(run, BigInt(left) + BigInt(right))
}

export function subtractNumbers(run: Rendering, left: Operand, right: Operand): Operand {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right
    if (Number.isSafeInteger(difference)) return difference
  }
  if (left instanceof TemplateFloat || right instanceof TemplateFloat) {
    return new TemplateFloat(toFloat(left) - toFloat(right))
  }
  return checkedInteger(run, BigInt(left) - BigInt(right))
}

export function multiplyNumbers(run: Rendering, left: Operand, right: Operand): Operand {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right
    if (Number.isSafeInteger(product)) return product + 0
  }
  if (left instanceof TemplateFloat || right instanceof TemplateFloat) {
    return new TemplateFloat(toFloat(left) * toFloat(right))
  }
  return checkedInteger(run, BigInt(left) * BigInt(right))
}

export function divideNumbers(run: Rendering, left: Operand, right: Operand): TemplateFloat {
  if (left instanceof TemplateFloat || right instanceof TemplateFloat) {
    const divisor = toFloat(right)
    if (divisor === 0) raise('ZeroDivisionError', 'float division by zero')
    return new TemplateFloat(toFloat(left) / divisor)
  }
  if (!right) raise('ZeroDivisionError', 'division by zero')
  payForInteger(run, left)
  const quotient = divideExactly(left, right)
  if (!Number.isFinite(quotient)) raise('OverflowError', 'integer division result too large for a float')
  return new TemplateFloat(quotient)
}

export function floorDivideNumbers(run: Rendering, left: Operand, right: Operand): Operand {
  if (left instanceof TemplateFloat || right instanceof TemplateFloat) {
    const divisor = toFloat(right)
    if (divisor === 0) raise('ZeroDivisionError', 'float floor division by zero')
    return new TemplateFloat(floorDivideFloats(toFloat(left), divisor))
  }
  if (!right) raise('ZeroDivisionError', 'integer division or modulo by zero')
  payForInteger(run, left)
  return floorDivide(left, right)
}

export function remainderOfNumbers(run: Rendering, left: Operand, right: Operand): Operand {
  if (left instanceof TemplateFloat || right instanceof TemplateFloat) {
    const divisor = toFloat(right)
    if (divisor === 0) raise('ZeroDivisionError', 'float modulo')
    return new TemplateFloat(remainderOfFloats(toFloat(left), divisor))
  }
  if (!right) raise('ZeroDivisionError', 'integer modulo by zero')
  payForInteger(run, left)
  return floorRemainder(left, right)
}

export function raiseToPower(run: Rendering, base: Operand, exponent: Operand): Operand {
  if (base instanceof TemplateFloat || exponent instanceof TemplateFloat || exponent < 0) {
    return new TemplateFloat(powerOfFloats(toFloat(base), toFloat(exponent)))
  }
  // One, zero and minus one never grow.
  const growth = Math.max(0, countBits(base) - 1)
  run.checkBits(growth * Number(exponent))
  return checkedInteger(run, BigInt(base) ** BigInt(exponent))
}

export function negateNumber(operand: Operand): Operand {
  if (operand instanceof TemplateFloat) return new TemplateFloat(-operand.value)
  return typeof operand === 'bigint' ? -operand : 0 - operand
}

/** The remainder has the sign of the divisor. */
function remainderOfFloats(left: number, right: number): number {
  const remainder = left % right
  if (remainder !== 0) return remainder < 0 !== right < 0 ? remainder + right : remainder
  return right < 0 || Object.is(right, -0) ? -0 : 0
}

function floorDivideFloats(left: number, right: number): number {
  const quotient = (left - remainderOfFloats(left, right)) / right
  if (quotient === 0) return left / right < 0 || Object.is(left / right, -0) ? -0 : 0
  const floor = Math.floor(quotient)
  return quotient - floor > 0.5 ? floor + 1 : floor
}

function powerOfFloats(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) raise('ZeroDivisionError', '0.0 cannot be raised to a negative power')
  if (base < 0 && Number.isFinite(base) && Number.isFinite(exponent) && !Number.isInteger(exponent)) {
    raise('ValueError', 'a power would be a complex number, which templates do not have')
  }
  // One to the power of anything is one here, NaN and infinity included, and so is anything to the power of zero.
  if (base === 1 || exponent === 0) return 1
  if (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)) return 1
  const power = base ** exponent
  if (!Number.isFinite(power) && Number.isFinite(base) && Number.isFinite(exponent)) {
    raise('OverflowError', 'Numerical result out of range')
  }
  return power
}
