/*
 * Check digits, written from the public descriptions of each number and apart from the detectors: both sides are wrong
 * together only if they misread the same description.
 */

/** Appends the digit that makes a number pass Luhn's check: from the right, every second digit counts double. */
export function withLuhn(digits: string): string {
  const reversed = [...digits].reverse().map(Number)
  const total = reversed.reduce((sum, digit, at) => {
    const counted = at % 2 === 0 ? digit * 2 : digit
    return sum + Math.floor(counted / 10) + (counted % 10)
  }, 0)
  return digits + ((10 - (total % 10)) % 10)
}

/** The two check digits of an IBAN: 98 less the rest of the number, with the country and `00` at its end. */
export function ibanCheck(country: string, account: string): string {
  const spelt = [...`${account}${country}00`].map((char) => (/\d/.test(char) ? char : String(char.charCodeAt(0) - 55)))
  const rest = BigInt(spelt.join('')) % 97n
  return String(98n - rest).padStart(2, '0')
}

/** A weighted sum of digits. */
export function weigh(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number(digits[at] ?? 0), 0)
}

/** ISO 7064 MOD 11,10, as the German tax number has it. */
export function withMod1110(digits: string): string {
  let product = 10
  for (const digit of digits) {
    let sum = (Number(digit) + product) % 10
    if (sum === 0) sum = 10
    product = (2 * sum) % 11
  }
  const check = 11 - product
  return digits + (check === 10 ? 0 : check)
}

const D5 = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
]
const PERMUTED = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** Appends the digit of Verhoeff's check, from his tables. */
export function withVerhoeff(digits: string): string {
  const candidates = [...'0123456789'].map((check) => digits + check)
  const passes = (number: string): boolean =>
    [...number]
      .reverse()
      .reduce((check, digit, at) => Number(D5[check]?.[Number(PERMUTED[at % 8]?.[Number(digit)])]), 0) === 0
  return candidates.find(passes) ?? digits
}

const ODD: Readonly<Record<string, number>> = Object.fromEntries(
  [...'BAKPLCQDREVOSFTGUHMINJWZYX'].map((letter, value) => [letter, value]),
)

/** The check letter of an Italian fiscal code: odd places by a table, even places by the alphabet. */
export function fiscalLetter(fifteen: string): string {
  const total = [...fifteen].reduce((sum, char, at) => {
    const letter = /\d/.test(char) ? String.fromCharCode(65 + Number(char)) : char
    return sum + (at % 2 === 0 ? (ODD[letter] ?? 0) : letter.charCodeAt(0) - 65)
  }, 0)
  return String.fromCharCode(65 + (total % 26))
}

/** The check character of a VIN, at the ninth place. */
export function withVinCheck(vin: string): string {
  const worth = (char: string): number => {
    if (/\d/.test(char)) return Number(char)
    const row = ['ABCDEFGH', 'JKLMN.P.R', '.STUVWXYZ'].map((letters) => letters.indexOf(char)).find((at) => at >= 0)
    return (row ?? 0) + 1
  }
  const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
  const rest = [...vin].reduce((sum, char, at) => sum + worth(char) * (weights[at] ?? 0), 0) % 11
  return `${vin.slice(0, 8)}${rest === 10 ? 'X' : rest}${vin.slice(9)}`
}
