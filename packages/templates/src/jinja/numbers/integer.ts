import type { Rendering } from '../rendering.ts'

/** An integer of any size: a number where that is safe, a bigint beyond. */
export type Integer = number | bigint

/** The one form of an integer. */
export function toInteger(value: bigint): Integer {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
}

/** The size of an integer in bits. */
export function countBits(value: Integer): number {
  if (typeof value === 'number') return value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1
  const hex = (value < 0n ? -value : value).toString(16)
  return (hex.length - 1) * 4 + countBits(Number.parseInt(hex[0] ?? '0', 16))
}

/** {@link toInteger} of a result: checks its size and pays for it. */
export function checkedInteger(run: Rendering, value: bigint): Integer {
  const integer = toInteger(value)
  if (typeof integer === 'bigint') {
    const bits = countBits(integer)
    run.checkBits(bits)
    run.compute(bits)
  }
  return integer
}

/** Pays for an operation that splits an integer. */
export function payForInteger(run: Rendering, value: Integer): void {
  if (typeof value === 'bigint') run.compute(countBits(value))
}

/** Divides to the lower integer. The divisor is not zero. */
export function floorDivide(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const remainder = left % right
    const quotient = (left - remainder) / right
    // Adding zero makes a negative zero the plain one.
    return (remainder !== 0 && remainder < 0 !== right < 0 ? quotient - 1 : quotient) + 0
  }
  const a = BigInt(left)
  const b = BigInt(right)
  const quotient = a / b
  return toInteger(a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient)
}

/** The remainder of {@link floorDivide}: zero, or with the sign of the divisor. */
export function floorRemainder(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const remainder = left % right
    return (remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder) + 0
  }
  const b = BigInt(right)
  const remainder = BigInt(left) % b
  return toInteger(remainder !== 0n && remainder < 0n !== b < 0n ? remainder + b : remainder)
}

/** The exact quotient as the nearest float; infinite where it is too big. The divisor is not zero. */
export function divideExactly(left: Integer, right: Integer): number {
  if (typeof left === 'number' && typeof right === 'number') return left / right
  const negative = left < 0 !== right < 0
  const a = absolute(left)
  const b = absolute(right)
  // 66 bits of quotient and a last one for the remainder are enough to round once, correctly.
  const shift = Math.max(0, 66 - (countBits(a) - countBits(b)))
  const scaled = a << BigInt(shift)
  const sticky = scaled % b === 0n ? 0n : 1n
  const quotient = Number((scaled / b) | sticky) * 2 ** -shift
  return negative ? -quotient : quotient
}

function absolute(value: Integer): bigint {
  const big = BigInt(value)
  return big < 0n ? -big : big
}
