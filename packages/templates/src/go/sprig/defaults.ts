import { deepEqual } from '../compare.ts'
import { fail, GoCallError } from '../errors.ts'
import { type CallContext, type FunctionTable, fixed, variadic } from '../function.ts'
import { decodeJson } from '../json/decode.ts'
import { encodeJson, type JsonOptions } from '../json/encode.ts'
import { findKind, type GoValue, toTypeName } from '../values.ts'
import { isEmpty, stringValue } from './convert.ts'

const COMPACT: JsonOptions = { escapeHtml: true, indent: undefined }
const PRETTY: JsonOptions = { escapeHtml: true, indent: '  ' }
const RAW: JsonOptions = { escapeHtml: false, indent: undefined }

/** Choosing between values, looking at types, JSON. */
export const DEFAULT_FUNCTIONS: FunctionTable = {
  default: variadic(['any'], 'any', (_, [otherwise], [given]) => (isEmpty(given) ? otherwise : given)),
  empty: fixed(['any'], (_, value) => isEmpty(value)),
  coalesce: variadic([], 'any', (_, __, values) => values.find((value) => !isEmpty(value)) ?? null),
  all: variadic([], 'any', (_, __, values) => !values.some(isEmpty)),
  any: variadic([], 'any', (_, __, values) => values.some((value) => !isEmpty(value))),
  ternary: fixed(['any', 'any', 'bool'], (_, whenTrue, whenFalse, condition) => (condition ? whenTrue : whenFalse)),
  toString: fixed(['any'], (context, value) => stringValue(context, value)),
  typeOf: fixed(['any'], (_, value) => toTypeName(value)),
  typeIs: fixed(['string', 'any'], (_, name, value) => name === toTypeName(value)),
  typeIsLike: fixed(['string', 'any'], (_, name, value) => [name, `*${name}`].includes(toTypeName(value))),
  kindOf: fixed(['any'], (_, value) => findKind(value)),
  kindIs: fixed(['string', 'any'], (_, name, value) => name === findKind(value)),
  deepEqual: fixed(['any', 'any'], ({ budget }, left, right) => deepEqual(budget, left, right)),
  fail: fixed(['string'], (_, message) => fail(message)),
  hello: fixed([], () => 'Hello!'),
  toJson: fixed(['any'], (context, value) => orEmpty(() => toJson(context, value, COMPACT))),
  mustToJson: fixed(['any'], (context, value) => toJson(context, value, COMPACT)),
  toPrettyJson: fixed(['any'], (context, value) => orEmpty(() => toJson(context, value, PRETTY))),
  mustToPrettyJson: fixed(['any'], (context, value) => toJson(context, value, PRETTY)),
  toRawJson: fixed(['any'], (context, value) => toJson(context, value, RAW)),
  mustToRawJson: fixed(['any'], (context, value) => toJson(context, value, RAW)),
  fromJson: fixed(['string'], (context, text) => fromJson(context, text)),
  mustFromJson: fixed(['string'], ({ budget }, text) => {
    const { value, overflows } = decodeJson(budget, text)
    return overflows ? fail('json: number out of range') : value
  }),
}

function toJson({ budget }: CallContext, value: GoValue, options: JsonOptions): string {
  return encodeJson(budget, value, options)
}

/** Runs a function whose error sprig swallows: the text is empty then. */
function orEmpty(make: () => string): string {
  try {
    return make()
  } catch (error) {
    if (error instanceof GoCallError) return ''
    throw error
  }
}

function fromJson({ budget }: CallContext, text: string): GoValue {
  try {
    return decodeJson(budget, text).value
  } catch (error) {
    if (error instanceof GoCallError) return null
    throw error
  }
}
