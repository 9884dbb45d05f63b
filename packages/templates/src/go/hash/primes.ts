/** The first prime numbers. */
export function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  }
  return primes
}

/** The first `bits` bits behind the point of a prime's square or cube root: the source of SHA-2's constants. */
export function rootFraction(prime: number, degree: 2 | 3, bits: number): bigint {
  const scaled = BigInt(prime) << BigInt(bits * degree)
  let low = 0n
  let high = BigInt(prime) << BigInt(bits)
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (middle ** BigInt(degree) <= scaled) low = middle
    else high = middle - 1n
  }
  return low & ((1n << BigInt(bits)) - 1n)
}
