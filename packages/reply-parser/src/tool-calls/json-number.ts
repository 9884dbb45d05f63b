/** State of a JSON number, by its last part. */
export type NumberState =
  | 'minus'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits'

/** States in which a number may end. */
export const NUMBER_ENDS: ReadonlySet<string> = new Set<NumberState>(['zero', 'integer', 'fraction', 'exponent-digits'])

const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30

/** The state after the first unit of a number; undefined when no number begins with it. */
export function beginNumber(unit: number): NumberState | undefined {
  if (unit === MINUS) return 'minus'
  if (!isDigit(unit)) return undefined
  return unit === ZERO ? 'zero' : 'integer'
}

/** The state after one more unit; undefined when the unit does not continue the number. */
export function advanceNumber(state: NumberState, unit: number): NumberState | undefined {
  const digit = isDigit(unit)
  switch (state) {
    case 'minus':
      return digit ? (unit === ZERO ? 'zero' : 'integer') : undefined
    case 'zero':
      return unit === POINT ? 'point' : isExponent(unit) ? 'exponent' : undefined
    case 'integer':
      return digit ? 'integer' : unit === POINT ? 'point' : isExponent(unit) ? 'exponent' : undefined
    case 'point':
      return digit ? 'fraction' : undefined
    case 'fraction':
      return digit ? 'fraction' : isExponent(unit) ? 'exponent' : undefined
    case 'exponent':
      return digit ? 'exponent-digits' : unit === PLUS || unit === MINUS ? 'exponent-sign' : undefined
    case 'exponent-sign':
    case 'exponent-digits':
      return digit ? 'exponent-digits' : undefined
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= 0x39
}

function isExponent(unit: number): boolean {
  return unit === 0x65 || unit === 0x45
}
