import { toIndex } from '../arguments.ts'
import { isEqual, isOrdered, type Ordering } from '../compare.ts'
import { raise } from '../errors.ts'
import { failOnUndefined } from '../fail-on-undefined.ts'
import { escapeText } from '../html.ts'
import { isIterable, iterate, toItems, toIterator } from '../iterate.ts'
import { applyOperator } from '../operators.ts'
import { printValue } from '../print.ts'
import type { Rendering } from '../rendering.ts'
import { toCodePoints } from '../text/code-points.ts'
import { isTrue, measureLength } from '../truth.ts'
import { define, type Implementation } from '../values/callable.ts'
import { Dict, payForKey, toHashKey } from '../values/dict.ts'
import { DictView } from '../values/dict-view.ts'
import { Range } from '../values/range.ts'
import { typeName } from '../values/type-name.ts'
import {
  Group,
  Iteration,
  isList,
  isText,
  likeText,
  Markup,
  Tuple,
  toPlainText,
  Undefined,
  type Value,
} from '../values/value.ts'
import { ignoreCase, toGetter, toListGetter } from './attribute-path.ts'
import { sortItems } from './sort.ts'

/** Filters over the items of a value. */
export const SEQUENCE_FILTERS: ReadonlyMap<string, Implementation> = new Map([
  ['length', define('length', 'obj', (run, [value]) => measure(run, value))],
  ['count', define('count', 'obj', (run, [value]) => measure(run, value))],
  ['list', define('list', 'value', (run, [value]) => [...toItems(run, value)])],
  ['first', define('first', 'seq', (run, [value]) => first(run, value))],
  ['last', define('last', 'seq', (run, [value]) => last(run, value))],
  ['reverse', define('reverse', 'value', (run, [value]) => reverse(run, value))],
  [
    'join',
    define('join', 'value d? attribute?', (run, [value, separator = '', attribute = null]) => {
      const items = toItems(run, value)
      return join(run, attribute === null ? items : items.map(toGetter(run, attribute)), separator)
    }),
  ],
  [
    'sort',
    define(
      'sort',
      'value reverse? case_sensitive? attribute?',
      (run, [value, reversed = false, exact = false, attribute]) => {
        const key = toListGetter(run, attribute, isTrue(exact) ? {} : { transform: ignoreCase })
        return sortItems(run, toItems(run, value), { key, reverse: toIndex(reversed) !== 0 })
      },
    ),
  ],
  [
    'dictsort',
    define(
      'dictsort',
      'value case_sensitive? by? reverse?',
      (run, [value, exact = false, by = 'key', reversed = false]) => {
        if (by !== 'key' && by !== 'value') raise('FilterArgumentError', 'You can only sort by either "key" or "value"')
        failOnUndefined(value)
        if (!(value instanceof Dict))
          return raise('AttributeError', `'${typeName(value)}' object has no attribute 'items'`)
        const items = [...new DictView(value, 'items').items()]
        const part = (item: Value): Value => (item instanceof Tuple ? (item.items[by === 'key' ? 0 : 1] ?? null) : item)
        const key = isTrue(exact) ? part : (item: Value): Value => ignoreCase(run, part(item))
        return sortItems(run, items, { key, reverse: toIndex(reversed) !== 0 })
      },
    ),
  ],
  [
    'unique',
    define(
      'unique',
      'value case_sensitive? attribute?',
      (run, [value, exact = false, attribute]) =>
        new Iteration(unique(run, value, toGetter(run, attribute, isTrue(exact) ? {} : { transform: ignoreCase }))),
    ),
  ],
  [
    'min',
    define('min', 'value case_sensitive? attribute?', (run, [value, exact = false, attribute]) =>
      findExtreme(run, value, { operator: '<', exact: isTrue(exact), attribute }),
    ),
  ],
  [
    'max',
    define('max', 'value case_sensitive? attribute?', (run, [value, exact = false, attribute]) =>
      findExtreme(run, value, { operator: '>', exact: isTrue(exact), attribute }),
    ),
  ],
  [
    'sum',
    define('sum', 'iterable attribute? start?', (run, [iterable, attribute = null, start = 0]) => {
      const get = toGetter(run, attribute)
      if (isText(start)) raise('TypeError', "sum() can't sum strings [use ''.join(seq) instead]")
      let sum: Value = start
      for (const item of iterate(run, iterable)) sum = applyOperator(run, '+', sum, get(item))
      return sum
    }),
  ],
  [
    'groupby',
    define('groupby', 'value attribute default? case_sensitive?', (run, [value, attribute, fallback, exact = false]) =>
      group(run, value, { attribute, fallback, exact: isTrue(exact) }),
    ),
  ],
  ['items', define('items', 'value', (_run, [value]) => new Iteration(toPairs(value)))],
  [
    'random',
    define('random', 'seq', (run, [value]) => {
      const items = toItems(run, value)
      const item = items[Math.floor(run.random() * items.length)]
      return item === undefined ? new Undefined('No random item, sequence was empty.') : item
    }),
  ],
])

function* toPairs(value: Value): Iterator<Value> {
  if (value instanceof Undefined) return
  if (!(value instanceof Dict)) raise('TypeError', 'Can only get item pairs from a mapping.')
  yield* new DictView(value, 'items').items()
}

function measure(run: Rendering, value: Value): number {
  return measureLength(run, value)
}

function first(run: Rendering, value: Value): Value {
  const next = toIterator(run, value).next()
  return next.done === true ? new Undefined('No first item, sequence was empty.') : next.value
}

function last(run: Rendering, value: Value): Value {
  const items = toReversible(run, value)
  if (items === undefined) return raise('TypeError', `'${typeName(value)}' object is not reversible`)
  const item = items.at(-1)
  return item === undefined ? new Undefined('No last item, sequence was empty.') : item
}

function reverse(run: Rendering, value: Value): Value {
  if (isText(value)) {
    run.walk(toPlainText(value).length)
    return likeText(value, run.built(toCodePoints(toPlainText(value)).reverse().join('')))
  }
  const items = toReversible(run, value)
  if (items !== undefined) return new Iteration([...items].reverse()[Symbol.iterator](), 'list_reverseiterator')
  if (!isIterable(value)) return raise('FilterArgumentError', 'argument must be iterable')
  return [...toItems(run, value)].reverse()
}

/** The items of a value that can be iterated backwards; generators cannot. */
function toReversible(run: Rendering, value: Value): readonly Value[] | undefined {
  const isReversible =
    isText(value) || isList(value) || [Tuple, Dict, DictView, Range, Undefined].some((type) => value instanceof type)
  return isReversible ? toItems(run, value) : undefined
}

/** The items as one text. With escaping on, one safe item makes the result safe. */
function join(run: Rendering, items: readonly Value[], separator: Value): Value {
  const isSafe = run.autoescape && [separator, ...items].some((item) => item instanceof Markup)
  const show = (item: Value): string => {
    const text = printValue(run, item)
    return isSafe && !(item instanceof Markup) ? escapeText(run, text) : text
  }
  const parts = items.map(show)
  const between = show(separator)
  let length = between.length * Math.max(0, parts.length - 1)
  for (const part of parts) length += part.length
  run.reserve(length)
  const text = parts.join(between)
  return isSafe ? new Markup(text) : text
}

function* unique(run: Rendering, value: Value, get: (item: Value) => Value): Iterator<Value> {
  const seen = new Set<unknown>()
  for (const item of iterate(run, value)) {
    const name = get(item)
    payForKey(run, name)
    const key = toHashKey(name)
    if (seen.has(key)) continue
    seen.add(key)
    yield item
  }
}

function findExtreme(
  run: Rendering,
  value: Value,
  options: { readonly operator: Ordering; readonly exact: boolean; readonly attribute: Value | undefined },
): Value {
  const get = toGetter(run, options.attribute, options.exact ? {} : { transform: ignoreCase })
  let found: { readonly item: Value; readonly key: Value } | undefined
  for (const item of iterate(run, value)) {
    const key = get(item)
    if (found === undefined || isOrdered(run, options.operator, key, found.key)) found = { item, key }
  }
  return found === undefined ? new Undefined('No aggregated item, sequence was empty.') : found.item
}

function group(
  run: Rendering,
  value: Value,
  options: { readonly attribute: Value; readonly fallback: Value | undefined; readonly exact: boolean },
): Group[] {
  const { attribute, fallback, exact } = options
  const getKey = toGetter(run, attribute, { fallback, transform: exact ? undefined : ignoreCase })
  const getName = toGetter(run, attribute, { fallback })
  const groups: { readonly key: Value; readonly items: Value[] }[] = []
  for (const item of sortItems(run, toItems(run, value), { key: getKey, reverse: false })) {
    const key = getKey(item)
    const current = groups.at(-1)
    if (current !== undefined && isEqual(run, current.key, key)) current.items.push(item)
    else groups.push({ key, items: [item] })
  }
  return groups.map(({ items }) => new Group(getName(items[0] ?? null), items))
}
