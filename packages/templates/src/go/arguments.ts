import type { Operand } from './ast.ts'
import { fail } from './errors.ts'
import type { ParameterType } from './function.ts'
import { GoTime } from './time/time.ts'
import { GoInteger, GoMap, GoPointer, type GoValue, goInt, toTypeName } from './values.ts'

const TYPE_NAMES: Readonly<Record<ParameterType, string>> = {
  any: 'interface {}',
  value: 'reflect.Value',
  string: 'string',
  int: 'int',
  bool: 'bool',
  float64: 'float64',
  dict: 'map[string]interface {}',
  time: 'time.Time',
}

/** Checks a value against a parameter's type. Go converts nothing here: an `int64` is not an `int`. */
export function checkArgument(type: ParameterType, value: GoValue): GoValue {
  if (type === 'value') return value
  if (type === 'any') return value ?? null
  if (value === undefined) return withoutValue(type)
  if (hasType(type, value)) return value
  if (value instanceof GoPointer && hasType(type, value.target)) return value.target
  return fail(`wrong type for value; expected ${TYPE_NAMES[type]}; got ${toTypeName(value)}`)
}

function withoutValue(type: ParameterType): GoValue {
  if (type === 'dict') return new GoMap('any', new Map(), true)
  return fail(`invalid value; expected ${TYPE_NAMES[type]}`)
}

function hasType(type: ParameterType, value: GoValue): boolean {
  switch (type) {
    case 'any':
    case 'value':
      return true
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'float64':
      return typeof value === 'number'
    case 'int':
      return value instanceof GoInteger && value.type === 'int'
    case 'dict':
      return value instanceof GoMap && value.element === 'any'
    case 'time':
      return value instanceof GoTime
  }
}

type Literal = Extract<Operand, { kind: 'nil' | 'bool' | 'string' | 'number' }>

/** A literal argument, read as the parameter's type wants it: `1.0` can be an `int`, `1` a `float64`. */
export function literalArgument(type: ParameterType, literal: Literal): GoValue {
  if (literal.kind === 'nil') return nilArgument(type)
  if (type === 'any' || type === 'value') return naturalValue(literal)
  if (type === 'string' && literal.kind === 'string') return literal.value
  if (type === 'bool' && literal.kind === 'bool') return literal.value
  if (type === 'int' && literal.kind === 'number' && literal.literal.integer !== undefined) {
    return goInt(literal.literal.integer)
  }
  if (type === 'float64' && literal.kind === 'number' && literal.literal.float !== undefined) {
    return literal.literal.float
  }
  return fail(`expected ${TYPE_NAMES[type]}; found ${literal.kind}`)
}

function nilArgument(type: ParameterType): GoValue {
  if (type === 'value') return undefined
  if (type === 'any') return null
  if (type === 'dict') return withoutValue(type)
  return fail(`cannot assign nil to ${TYPE_NAMES[type]}`)
}

/** The type of a literal without an expected type. */
function naturalValue(literal: Exclude<Literal, { kind: 'nil' }>): GoValue {
  if (literal.kind !== 'number') return literal.value
  return literal.literal.natural ?? fail(`${literal.text} overflows int`)
}
