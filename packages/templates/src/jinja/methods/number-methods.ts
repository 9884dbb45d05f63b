import { TemplateFloat } from '../../number.ts'
import { countBits, type Integer, payForInteger } from '../numbers/integer.ts'
import type { Value } from '../values/value.ts'
import { MethodTable } from './method.ts'

/** The methods of integers and booleans that a template may want. */
export const INTEGER_METHODS = new MethodTable<Integer>()
  .add('bit_length', '', (run, value) => {
    payForInteger(run, value)
    return countBits(value)
  })
  .add('conjugate', '', (_run, value) => value)

/** The methods of floats that a template may want. */
export const FLOAT_METHODS = new MethodTable<TemplateFloat>()
  .add('is_integer', '', (_run, { value }) => Number.isInteger(value))
  .add('conjugate', '', (_run, float) => float)

/** The attributes of numbers that are not methods. */
export function numberAttribute(value: Integer | TemplateFloat, name: string): Value | undefined {
  const isFloat = value instanceof TemplateFloat
  switch (name) {
    case 'real':
      return value
    case 'imag':
      return isFloat ? new TemplateFloat(0) : 0
    case 'numerator':
      return isFloat ? undefined : value
    case 'denominator':
      return isFloat ? undefined : 1
    default:
      return undefined
  }
}
