import { TemplateFloat } from '../number.ts'
import { raise } from './errors.ts'
import type { Rendering } from './rendering.ts'
import { toCodePoints } from './text/code-points.ts'
import { typeName } from './values/type-name.ts'
import { isList, Tuple, type Value } from './values/value.ts'

/** Whether a value can be looped over. */
export function isIterable(value: Value): boolean {
  if (typeof value === 'string') return true
  if (typeof value !== 'object' || value === null || value instanceof TemplateFloat) return false
  return isList(value) || value.iterate() !== undefined
}

/** A walk over the items of a value, one step of work each. @throws TypeError */
export function* iterate(run: Rendering, value: Value): IterableIterator<Value> {
  const iterator = toIterator(run, value)
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    run.spend()
    yield next.value
  }
}

/** All items of a value. The array may be the list itself: it must not be changed. @throws TypeError */
export function toItems(run: Rendering, value: Value): readonly Value[] {
  if (isList(value) || value instanceof Tuple) {
    const items = isList(value) ? value : value.items
    run.spend(items.length)
    return items
  }
  return [...iterate(run, value)]
}

/** A walk over the items, free of charge. @throws TypeError */
export function toIterator(run: Rendering, value: Value): Iterator<Value> {
  if (typeof value === 'string') {
    run.walk(value.length)
    return toCodePoints(value)[Symbol.iterator]()
  }
  if (isList(value)) return value[Symbol.iterator]()
  const iterator =
    typeof value === 'object' && value !== null && !(value instanceof TemplateFloat) ? value.iterate() : undefined
  return iterator ?? raise('TypeError', `'${typeName(value)}' object is not iterable`)
}
