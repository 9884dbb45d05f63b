/** Bounds of a number, both included. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

/**
 * Reads a whole number of the command line.
 *
 * @param name the option, for the error
 * @throws {RangeError} for anything else, and outside the bounds
 */
export function readWholeNumber(name: string, value: string, bounds: Bounds): number {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  return check(name, value, number, { ...bounds, kind: 'a whole number' })
}

/**
 * Reads a decimal number of the command line.
 *
 * @param name the option, for the error
 * @throws {RangeError} for anything else, and outside the bounds
 */
export function readNumber(name: string, value: string, bounds: Bounds): number {
  const number = /^\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN
  return check(name, value, number, { ...bounds, kind: 'a number' })
}

function check(
  name: string,
  value: string,
  number: number,
  { least, most, kind }: Bounds & { readonly kind: string },
): number {
  if (number >= least && number <= most) return number
  throw new RangeError(`--${name} takes ${kind} from ${least} to ${most}, not ${JSON.stringify(value)}`)
}
