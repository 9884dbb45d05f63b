import { TemplateFloat } from '../number.ts'
import { raise } from './errors.ts'
import { failOnUndefined } from './fail-on-undefined.ts'
import { formatBraces } from './format/braces.ts'
import { escapeText } from './html.ts'
import { BYTES_METHODS, DICT_METHODS, LIST_METHODS, RANGE_METHODS, TUPLE_METHODS } from './methods/container-methods.ts'
import { callOnMarkup } from './methods/markup-methods.ts'
import type { Method, MethodTable } from './methods/method.ts'
import { DICT_MUTATORS, LIST_MUTATORS } from './methods/mutators.ts'
import { FLOAT_METHODS, INTEGER_METHODS, numberAttribute } from './methods/number-methods.ts'
import { TEXT_METHODS } from './methods/text-methods.ts'
import type { Rendering } from './rendering.ts'
import { hasSurrogates, toCodePoints } from './text/code-points.ts'
import { type Arguments, BuiltinFunction } from './values/callable.ts'
import { Dict, payForKey } from './values/dict.ts'
import { Range } from './values/range.ts'
import { describeOwner, typeName } from './values/type-name.ts'
import {
  Bytes,
  isInteger,
  isList,
  isText,
  likeText,
  Markup,
  TemplateObject,
  Tuple,
  toPlainText,
  Undefined,
  type Value,
} from './values/value.ts'

/** Names of the host language's machinery; they exist on everything and are refused everywhere. */
const INTERNALS = new Set(
  ['class', 'dict', 'doc', 'init', 'new', 'module', 'getattribute', 'call', 'getitem', 'subclasshook', 'reduce']
    .concat(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'hash', 'str', 'repr', 'format', 'sizeof', 'dir', 'len', 'iter'])
    .map((name) => `__${name}__`),
)

/** `object.name`: an attribute or method, else the item of that name, else undefined. */
export function getAttribute(run: Rendering, object: Value, name: string): Value {
  failOnUndefined(object)
  const attribute = findAttribute(run, object, name)
  if (attribute !== undefined) return attribute
  const item = findItem(run, object, name)
  return item === undefined ? missingAttribute(object, name) : item
}

/** `object[key]`: an item, else the attribute or method of that name, else undefined. */
export function getItem(run: Rendering, object: Value, key: Value): Value {
  failOnUndefined(object)
  const item = findItem(run, object, key)
  if (item !== undefined) return item
  const attribute = isText(key) ? findAttribute(run, object, toPlainText(key)) : undefined
  return attribute === undefined ? missing(object, key) : attribute
}

/** An attribute or method, without a look at the items. */
export function getOwnAttribute(run: Rendering, object: Value, name: string): Value {
  failOnUndefined(object)
  const attribute = findAttribute(run, object, name)
  return attribute === undefined ? missingAttribute(object, name) : attribute
}

function missingAttribute(object: Value, name: string): Undefined {
  return new Undefined(`'${describeOwner(object)}' has no attribute '${name}'`)
}

function missing(object: Value, key: Value): Undefined {
  // A computed key may be data, which no message shows.
  if (typeof key !== 'number') return new Undefined(`'${describeOwner(object)}' has no element of that key`)
  return new Undefined(`${describeOwner(object)} has no element ${key}`)
}

function refused(object: Value, name: string): Undefined {
  return new Undefined(`access to attribute '${name}' of '${typeName(object)}' object is unsafe.`, true)
}

/** The item of a key; undefined for a missing key, and for an object that has no items or other keys. */
function findItem(run: Rendering, object: Value, key: Value): Value | undefined {
  if (object instanceof Dict) {
    payForKey(run, key)
    return isHashable(key) ? object.get(key) : undefined
  }
  const index = typeof key === 'boolean' ? Number(key) : key
  if (typeof index !== 'number') return undefined
  if (isText(object)) return findCharacter(run, object, index)
  if (isList(object)) return object.at(index)
  if (object instanceof Tuple) return object.items.at(index)
  if (object instanceof Bytes) return object.bytes.at(index)
  if (object instanceof Range) {
    const place = index < 0 ? index + object.length : index
    return place >= 0 && place < object.length ? object.at(place) : undefined
  }
  return undefined
}

function findCharacter(run: Rendering, text: string | Markup, index: number): Value | undefined {
  const plain = toPlainText(text)
  run.search(plain)
  if (!hasSurrogates(plain)) return toCharacter(text, plain.at(index))
  run.walk(plain.length)
  return toCharacter(text, toCodePoints(plain).at(index))
}

function toCharacter(text: string | Markup, character: string | undefined): Value | undefined {
  return character === undefined ? undefined : likeText(text, character)
}

function isHashable(key: Value): boolean {
  if (key instanceof Tuple) return key.items.every(isHashable)
  return !isList(key) && !(key instanceof TemplateObject && !key.isHashable())
}

/**
 * The attribute of a name; undefined for a missing one. A forbidden attribute is an undefined value of the template
 * language.
 */
function findAttribute(run: Rendering, object: Value, name: string): Value | undefined {
  if (name.startsWith('__') && INTERNALS.has(name)) return refused(object, name)
  if (isText(object)) return findTextMethod(object, name)
  if (isList(object)) {
    return findMutator(run, object, { name, table: LIST_MUTATORS }) ?? bound(name, object, LIST_METHODS.get(name))
  }
  if (object instanceof Dict) {
    return findMutator(run, object, { name, table: DICT_MUTATORS }) ?? bound(name, object, DICT_METHODS.get(name))
  }
  if (object instanceof Tuple) return bound(name, object.items, TUPLE_METHODS.get(name)) ?? object.attribute(name, run)
  if (object instanceof Range) return bound(name, object, RANGE_METHODS.get(name)) ?? object.attribute(name)
  if (object instanceof Bytes) return bound(name, object, BYTES_METHODS.get(name))
  if (object === null) return undefined
  if (typeof object === 'boolean') return findNumberAttribute(object ? 1 : 0, name)
  if (isInteger(object) || object instanceof TemplateFloat) return findNumberAttribute(object, name)
  return object.attribute(name, run)
}

function findNumberAttribute(value: number | bigint | TemplateFloat, name: string): Value | undefined {
  const attribute = numberAttribute(value, name)
  if (attribute !== undefined) return attribute
  return value instanceof TemplateFloat
    ? bound(name, value, FLOAT_METHODS.get(name))
    : bound(name, value, INTEGER_METHODS.get(name))
}

function bound<Receiver>(name: string, receiver: Receiver, method: Method<Receiver> | undefined): Value | undefined {
  if (method === undefined) return undefined
  return new BuiltinFunction(name, (run, given) => method(run, receiver, given), 'built-in method')
}

/** A method that changes its receiver. Refused where the sandbox allows no changes. */
function findMutator<Receiver extends Value>(
  run: Rendering,
  receiver: Receiver,
  { name, table }: { readonly name: string; readonly table: MethodTable<Receiver> },
): Value | undefined {
  const method = table.get(name)
  if (method === undefined || run.lenient) return bound(name, receiver, method)
  return refused(receiver, name)
}

function findTextMethod(text: string | Markup, name: string): Value | undefined {
  if (name === 'format' || name === 'format_map') {
    return new BuiltinFunction(name, (run, given) =>
      formatText(run, text, name === 'format' ? given : toMapping(run, given)),
    )
  }
  const method = TEXT_METHODS.get(name)
  if (method === undefined || typeof text === 'string') return method && bound(name, toPlainText(text), method)
  return new BuiltinFunction(name, (run, given) => callOnMarkup(run, text, { name, method, given }), 'built-in method')
}

function toMapping(run: Rendering, { positional, named }: Arguments): Arguments {
  const [mapping] = positional
  if (named.size > 0 || positional.length !== 1) raise('TypeError', 'format_map() takes exactly one argument')
  if (!(mapping instanceof Dict)) return raise('TypeError', 'format_map() argument must be a mapping')
  run.spend(mapping.size)
  const names = new Map<string, Value>()
  for (const [key, value] of mapping.entries()) if (typeof key === 'string') names.set(key, value)
  return { positional: [], named: names }
}

function formatText(run: Rendering, text: string | Markup, { positional, named }: Arguments): Value {
  const isSafe = text instanceof Markup
  const result = formatBraces(run, toPlainText(text), {
    positional,
    named: (name) => named.get(name),
    attribute: (object, name) => getAttribute(run, object, name),
    item: (object, key) => getItem(run, object, key),
    finish: (shown, value) => (isSafe && !(value instanceof Markup) ? escapeText(run, shown) : shown),
  })
  return likeText(text, result)
}
