/** Whether a code unit is an ASCII digit. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

/** Whether a code unit is an ASCII capital. */
export function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a
}

/** Whether a code unit is an ASCII letter. */
function isLetter(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
}

/** Whether a code unit is an ASCII letter or digit. */
export function isAlphanumeric(unit: number): boolean {
  return isDigit(unit) || isLetter(unit)
}

/** Whether a code unit is above ASCII and not a blank, a dash or another mark of General Punctuation. */
export function isBeyondAscii(unit: number): boolean {
  return unit >= 0xc0 && !(unit >= 0x2000 && unit <= 0x206f) && unit !== 0x3000 && unit !== 0xd7 && unit !== 0xf7
}

/**
 * Whether people put a code unit between the groups of a long number: blanks of any width, a line break, hyphens and
 * dashes.
 */
export function isSeparator(unit: number): boolean {
  if (unit === 0x20 || unit === 0x2d || unit === 0xa0 || unit === 0x0a || unit === 0x0d || unit === 0x09) return true
  return (unit >= 0x2000 && unit <= 0x2015) || unit === 0x202f || unit === 0x2212 || unit === 0x00ad
}
