/** Whether a code unit is a digit of hex, of either case. */
export function isHexDigit(unit: number): boolean {
  const letter = unit | 0x20
  return (unit >= 0x30 && unit <= 0x39) || (letter >= 0x61 && letter <= 0x66)
}

/** The value of a digit: the letters of both cases end in the same four bits, from 1 on. */
export function toHexValue(unit: number): number {
  return unit < 0x40 ? unit & 15 : (unit & 15) + 9
}
