import { getItem } from '../attributes.ts'
import type { Rendering } from '../rendering.ts'
import { isDigit } from '../text/characters.ts'
import { isText, toPlainText, Undefined, type Value } from '../values/value.ts'

/** The way in which filters with an attribute read an item. */
export interface Lookup {
  /** Replaces an undefined value; null counts as absent. */
  readonly fallback?: Value | undefined
  /** Applied to the attribute. */
  readonly transform?: ((run: Rendering, value: Value) => Value) | undefined
}

/** A function that follows a path such as `address.lines.0` into an item; without a path it returns the item itself. */
export function toGetter(run: Rendering, attribute: Value | undefined, lookup: Lookup = {}): (item: Value) => Value {
  const parts = toPathParts(run, attribute ?? null)
  const { fallback = null, transform } = lookup
  return (item) => {
    let value = item
    for (const part of parts) {
      value = getItem(run, value, part)
      if (fallback !== null && value instanceof Undefined) value = fallback
    }
    return transform === undefined ? value : transform(run, value)
  }
}

/** Like {@link toGetter} for several paths with commas between. */
export function toListGetter(run: Rendering, attribute: Value | undefined, lookup: Lookup): (item: Value) => Value[] {
  if (attribute === undefined || !isText(attribute)) {
    const get = toGetter(run, attribute, lookup)
    return (item) => [get(item)]
  }
  run.walk(toPlainText(attribute).length * 4)
  const paths = toPlainText(attribute).split(',')
  const getters = paths.map((path) => toGetter(run, path, lookup))
  return (item) => getters.map((getter) => getter(item))
}

/** A text in lower case, so that sorting does not look at case; other values as they are. */
export function ignoreCase(run: Rendering, value: Value): Value {
  return isText(value) ? run.built(toPlainText(value).toLowerCase()) : value
}

function toPathParts(run: Rendering, attribute: Value): Value[] {
  if (attribute === null) return []
  if (!isText(attribute)) return [attribute]
  run.walk(toPlainText(attribute).length * 4)
  return toPlainText(attribute)
    .split('.')
    .map((part) => (part !== '' && Array.from(part).every(isDigit) ? Number(part) : part))
}
