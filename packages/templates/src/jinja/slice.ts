import { toIndex } from './arguments.ts'
import { raise } from './errors.ts'
import { failOnUndefined } from './fail-on-undefined.ts'
import type { Rendering } from './rendering.ts'
import { hasSurrogates, toCodePoints } from './text/code-points.ts'
import { Range } from './values/range.ts'
import { typeName } from './values/type-name.ts'
import { Bytes, isList, isText, likeText, Tuple, toPlainText, type Value } from './values/value.ts'

/** The bounds of a slice; an absent one is `none`. */
export interface SliceBounds {
  readonly start: Value
  readonly stop: Value
  readonly step: Value
}

/** A slice within a length: `count` places from `start`, `step` apart. */
interface Places {
  readonly start: number
  readonly step: number
  readonly count: number
}

/** A part of a text, list, tuple, range or bytes: Python's `value[start:stop:step]`. @throws TypeError, ValueError */
export function sliceValue(run: Rendering, value: Value, bounds: SliceBounds): Value {
  if (isText(value)) return likeText(value, sliceText(run, toPlainText(value), bounds))
  if (isList(value)) return pick(run, value, bounds)
  if (value instanceof Tuple) return new Tuple(pick(run, value.items, bounds))
  if (value instanceof Range) {
    const { start, step, count } = toPlaces(bounds, value.length)
    const first = value.at(start)
    return new Range(first, first + count * step * value.step, step * value.step)
  }
  if (value instanceof Bytes) return sliceBytes(run, value.bytes, bounds)
  failOnUndefined(value)
  return raise('TypeError', `'${typeName(value)}' object is not subscriptable`)
}

function sliceBytes(run: Rendering, bytes: Uint8Array, bounds: SliceBounds): Bytes {
  const { start, step, count } = toPlaces(bounds, bytes.length)
  run.reserve(count)
  return new Bytes(Uint8Array.from({ length: count }, (_, index) => bytes[start + index * step] ?? 0))
}

function sliceText(run: Rendering, text: string, bounds: SliceBounds): string {
  run.search(text)
  if (hasSurrogates(text)) {
    run.walk(text.length)
    return pick(run, toCodePoints(text), bounds).join('')
  }
  const { start, step, count } = toPlaces(bounds, text.length)
  run.reserve(count)
  if (step === 1) return text.slice(start, start + count)
  let result = ''
  for (let index = 0; index < count; index++) result += text[start + index * step]
  return result
}

function pick<Item>(run: Rendering, items: readonly Item[], bounds: SliceBounds): Item[] {
  const { start, step, count } = toPlaces(bounds, items.length)
  run.spend(count)
  if (step === 1) return items.slice(start, start + count)
  return Array.from({ length: count }, (_, index) => items[start + index * step]).filter((item) => item !== undefined)
}

function toPlaces(bounds: SliceBounds, length: number): Places {
  const step = toBound(bounds.step) ?? 1
  if (step === 0) raise('ValueError', 'slice step cannot be zero')
  const lowest = step < 0 ? -1 : 0
  const highest = step < 0 ? length - 1 : length
  const place = (bound: number | undefined, absent: number): number => {
    if (bound === undefined) return absent
    return Math.min(highest, Math.max(lowest, bound < 0 ? bound + length : bound))
  }
  const start = place(toBound(bounds.start), step < 0 ? highest : lowest)
  const stop = place(toBound(bounds.stop), step < 0 ? lowest : highest)
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)) }
}

/** A bound beyond the length counts as the length. */
function toBound(value: Value): number | undefined {
  if (value === null) return undefined
  const isIndex = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
  if (!isIndex) raise('TypeError', 'slice indices must be integers or None or have an __index__ method')
  const index = toIndex(value)
  if (typeof index === 'number') return index
  return index < 0n ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
}
