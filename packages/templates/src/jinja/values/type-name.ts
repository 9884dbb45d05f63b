import { TemplateFloat } from '../../number.ts'
import { isList, type Value } from './value.ts'

/** The name of a value's type in messages. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType'
  if (isList(value)) return 'list'
  if (value instanceof TemplateFloat) return 'float'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'string':
      return 'str'
    case 'number':
    case 'bigint':
      return 'int'
    default:
      return value.typeName
  }
}

/** The name of the object that lacks something, for undefined values. */
export function describeOwner(value: Value): string {
  return value === null ? 'None' : `${typeName(value)} object`
}
