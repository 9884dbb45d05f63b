import { TemplateFloat } from '../number.ts'
import { raise } from './errors.ts'
import { failOnUndefined } from './fail-on-undefined.ts'
import { iterate } from './iterate.ts'
import type { Rendering } from './rendering.ts'
import { compareCodePoints } from './text/code-points.ts'
import { findText } from './text/search.ts'
import { Dict, payForKey } from './values/dict.ts'
import { DictView } from './values/dict-view.ts'
import { Range } from './values/range.ts'
import { typeName } from './values/type-name.ts'
import { Bytes, isList, isText, Tuple, toPlainText, Undefined, type Value } from './values/value.ts'

/** The operators that order values. */
export type Ordering = '<' | '<=' | '>' | '>='

/** Whether two values are equal, numbers of any kind by size, containers by their items. */
export function isEqual(run: Rendering, left: Value, right: Value): boolean {
  run.spend()
  if (isText(left) && isText(right)) return areEqualTexts(run, toPlainText(left), toPlainText(right))
  if (left === right) return !(left instanceof TemplateFloat) || !Number.isNaN(left.value)
  const a = toNumber(left)
  if (a !== undefined) {
    const b = toNumber(right)
    // Loose on purpose: a bigint and a number of the same size are equal.
    // biome-ignore lint/suspicious/noDoubleEquals: see above
    return b !== undefined && a == b
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  run.enter()
  const equal = isEqualObject(run, left, right)
  run.leave()
  return equal
}

function areEqualTexts(run: Rendering, left: string, right: string): boolean {
  if (left.length !== right.length) return false
  run.search(left)
  return left === right
}

function isEqualObject(run: Rendering, left: object & Value, right: object & Value): boolean {
  if (isList(left)) return isList(right) && areEqual(run, left, right)
  if (isList(right)) return false
  if (left instanceof Tuple) return right instanceof Tuple && areEqual(run, left.items, right.items)
  if (left instanceof Dict) return right instanceof Dict && areEqualDicts(run, left, right)
  if (left instanceof Undefined) return right instanceof Undefined
  if (left instanceof Range) return right instanceof Range && areEqualRanges(left, right)
  if (left instanceof Bytes) return right instanceof Bytes && areEqualBytes(run, left.bytes, right.bytes)
  if (left instanceof DictView) return right instanceof DictView && areEqualViews(run, left, right)
  return false
}

function areEqual(run: Rendering, left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((item, index) => isEqual(run, item, right[index] ?? null))
}

function areEqualDicts(run: Rendering, left: Dict, right: Dict): boolean {
  if (left.size !== right.size) return false
  for (const [key, value] of left.entries()) {
    payForKey(run, key)
    const other = right.get(key)
    if (other === undefined || !isEqual(run, value, other)) return false
  }
  return true
}

function areEqualRanges(left: Range, right: Range): boolean {
  if (left.length !== right.length) return false
  return left.length === 0 || (left.start === right.start && (left.length === 1 || left.step === right.step))
}

function areEqualBytes(run: Rendering, left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  run.walk(left.length)
  return left.every((byte, index) => byte === right[index])
}

/** Keys and items compare as sets; values compare by identity, which was checked before. */
function areEqualViews(run: Rendering, left: DictView, right: DictView): boolean {
  if (left.part === 'values' || right.part === 'values' || left.dict.size !== right.dict.size) return false
  for (const item of left.items()) {
    run.spend()
    if (!contains(run, right, item)) return false
  }
  return true
}

/** Whether one value comes before another by an operator. @throws TypeError for values without an order */
export function isOrdered(run: Rendering, operator: Ordering, left: Value, right: Value): boolean {
  run.spend()
  failOnUndefined(left)
  failOnUndefined(right)
  const a = toNumber(left)
  const b = toNumber(right)
  if (a !== undefined && b !== undefined) return isOrderedNumber(operator, a, b)
  if (isText(left) && isText(right)) {
    run.walk(Math.min(toPlainText(left).length, toPlainText(right).length) / 4)
    const order = compareCodePoints(toPlainText(left), toPlainText(right))
    return isOrderedNumber(operator, order, 0)
  }
  if (isList(left) && isList(right)) return isOrderedList(run, operator, left, right)
  if (left instanceof Tuple && right instanceof Tuple) return isOrderedList(run, operator, left.items, right.items)
  return raise(
    'TypeError',
    `'${operator}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
  )
}

/** The first items that differ decide; without any, the length. */
function isOrderedList(run: Rendering, operator: Ordering, left: readonly Value[], right: readonly Value[]): boolean {
  run.enter()
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left[index] ?? null
    const b = right[index] ?? null
    if (isEqual(run, a, b)) continue
    const ordered = isOrdered(run, operator, a, b)
    run.leave()
    return ordered
  }
  run.leave()
  return isOrderedNumber(operator, left.length, right.length)
}

function isOrderedNumber(operator: Ordering, left: number | bigint, right: number | bigint): boolean {
  switch (operator) {
    case '<':
      return left < right
    case '>':
      return left > right
    case '<=':
      return left <= right
    case '>=':
      return left >= right
  }
}

/** Whether a container holds a value: a part of a text, a key of a dict, an item of anything else. */
export function contains(run: Rendering, container: Value, item: Value): boolean {
  if (isText(container)) return containsText(run, toPlainText(container), item)
  if (container instanceof Dict) {
    payForKey(run, item)
    return container.has(item)
  }
  if (container instanceof DictView) return containsInView(run, container, item)
  if (container instanceof Range) return containsInRange(container, item)
  if (typeof container !== 'object' || container === null || container instanceof TemplateFloat) {
    return raise('TypeError', `argument of type '${typeName(container)}' is not iterable`)
  }
  if (!isList(container) && container.iterate() === undefined) {
    raise('TypeError', `argument of type '${typeName(container)}' is not iterable`)
  }
  for (const member of iterate(run, container)) if (isEqual(run, member, item)) return true
  return false
}

function containsText(run: Rendering, text: string, item: Value): boolean {
  if (!isText(item)) {
    return raise('TypeError', `'in <string>' requires string as left operand, not ${typeName(item)}`)
  }
  const wanted = toPlainText(item)
  run.search(text, wanted)
  return findText(text, wanted) >= 0
}

function containsInView(run: Rendering, { dict, part }: DictView, item: Value): boolean {
  payForKey(run, item)
  if (part === 'keys') return dict.has(item)
  if (part === 'values') {
    for (const value of dict.values()) if (isEqual(run, value, item)) return true
    return false
  }
  if (!(item instanceof Tuple) || item.items.length !== 2) return false
  const [key = null, value = null] = item.items
  const found = dict.get(key)
  return found !== undefined && isEqual(run, found, value)
}

function containsInRange(range: Range, item: Value): boolean {
  const number = toNumber(item)
  return number !== undefined && range.indexOf(Number(number)) >= 0
}

/** The size of a number of any kind, booleans included; undefined for anything else. */
function toNumber(value: Value): number | bigint | undefined {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return value
    case 'boolean':
      return value ? 1 : 0
    default:
      return value instanceof TemplateFloat ? value.value : undefined
  }
}
