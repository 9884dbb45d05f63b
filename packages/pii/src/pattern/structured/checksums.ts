const digitValue = (digit: string): number => digit.charCodeAt(0) - 0x30

/** Sum of the digits, each times its weight; digits past the weights are ignored. */
export function sumWeighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * digitValue(digits.charAt(index)), 0)
}

/** Whether all digits are the same. */
export const hasRepeats = (digits: string): boolean => /^(.)\1+$/.test(digits)

/** Whether six digits are year, month and day. */
export function isDay(digits: string): boolean {
  const [month, day] = [Number(digits.slice(2, 4)), Number(digits.slice(4, 6))]
  return month >= 1 && month <= 12 && day >= 1 && day <= 31
}

/** The check of numbers whose last digit is eleven less the sum, with what stands for ten. */
export function passesElevens(digits: string, weights: readonly number[], forTen: number): boolean {
  const check = (11 - (sumWeighted(digits, weights) % 11)) % 11
  return (check === 10 ? forTen : check) === digitValue(digits.slice(-1))
}

/** The check of payment cards (ISO/IEC 7812-1). */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const value = digitValue(digits.charAt(digits.length - 1 - index))
    const doubled = index % 2 === 0 ? value : value * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The remainder modulo 97 of a number whose letters have the values 10 to 35 (ISO 7064, as in IBANs). */
export function modulo97(text: string): number {
  let rest = 0
  for (const char of text.toUpperCase()) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}

/** ISO 7064 MOD 11,10: the last digit checks the rest. */
export function passesMod11With10(digits: string): boolean {
  let product = 10
  for (const digit of digits.slice(0, -1)) {
    const sum = (digitValue(digit) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === digitValue(digits.slice(-1))
}

const VERHOEFF_PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

/** The product of two elements of the dihedral group of order ten. */
function dihedral(one: number, other: number): number {
  if (one < 5) return other < 5 ? (one + other) % 5 : 5 + ((one + other - 5) % 5)
  return other < 5 ? 5 + ((one - 5 - other + 5) % 5) : (one - other + 5) % 5
}

/** Verhoeff's check over the dihedral group. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0
  for (let index = 0; index < digits.length; index++) {
    let value = digitValue(digits.charAt(digits.length - 1 - index))
    for (let times = 0; times < index % 8; times++) value = VERHOEFF_PERMUTATION[value] ?? 0
    check = dihedral(check, value)
  }
  return check === 0
}
