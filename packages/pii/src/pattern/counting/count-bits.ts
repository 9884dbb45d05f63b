import type { CountedLoop } from './counted-loop.ts'

/** Counts as bits: a bit a count. `value`: bits, or one count. */
export function toBits(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  return typeof value === 'number' ? 1n << BigInt(value) : 0n
}

/**
 * The counts that a loop allows. Of the counts that may be the last, only the lowest is kept, because it can do
 * everything that the others can.
 */
export function pruneBits({ max, threshold }: CountedLoop, bits: bigint): bigint {
  const allowed = max === Number.POSITIVE_INFINITY ? bits : BigInt.asUintN(max, bits)
  const last = allowed >> BigInt(threshold)
  if (last <= 1n) return allowed
  const lowest = max === Number.POSITIVE_INFINITY ? 1n : last & -last
  return BigInt.asUintN(threshold, allowed) | (lowest << BigInt(threshold))
}

/** Whether any count may be the last. */
export function mayBeLast({ threshold }: CountedLoop, bits: bigint): boolean {
  return bits >> BigInt(threshold) !== 0n
}

/** Whether some counts can do everything that others can. */
export function coversBits({ threshold }: CountedLoop, one: bigint, other: bigint): boolean {
  const missing = other & ~one
  if (missing === 0n) return true
  if (BigInt.asUintN(threshold, missing) !== 0n) return false
  const last = one >> BigInt(threshold)
  const missingLast = missing >> BigInt(threshold)
  return last !== 0n && (last & -last) < (missingLast & -missingLast)
}

/**
 * Whether a count of the left and one of the right add up, with the round between them, to a number of rounds that a
 * loop allows.
 */
export function fitBits({ min, max }: CountedLoop, left: bigint, right: bigint): boolean {
  for (let bits = left, count = 0; bits !== 0n; bits >>= 1n, count++) {
    if ((bits & 1n) === 0n) continue
    const least = Math.max(min - 1 - count, 0)
    const enough = right >> BigInt(least)
    const fitting = max === Number.POSITIVE_INFINITY ? enough : BigInt.asUintN(max - count - least, enough)
    if (fitting !== 0n) return true
  }
  return false
}
