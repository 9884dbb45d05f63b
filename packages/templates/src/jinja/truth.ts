import { TemplateFloat } from '../number.ts'
import { raise } from './errors.ts'
import type { Rendering } from './rendering.ts'
import { countCodePoints } from './text/code-points.ts'
import { typeName } from './values/type-name.ts'
import { isList, isText, Markup, toPlainText, type Value } from './values/value.ts'

/** Whether a value counts as true: not zero, not empty, not `none`. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'object') return Boolean(value)
  if (value === null) return false
  if (isList(value)) return value.length > 0
  if (value instanceof TemplateFloat) return value.value !== 0
  if (value instanceof Markup) return value.text !== ''
  return value.itemCount() !== 0
}

/** Whether a value has a size. */
export function hasSize(value: Value): boolean {
  return isText(value) || sizeOfItems(value) !== undefined
}

/** The number of items, or of code points; undefined for a value without a size. */
export function measureSize(run: Rendering, value: Value): number | undefined {
  if (!isText(value)) return sizeOfItems(value)
  const text = toPlainText(value)
  run.search(text)
  return countCodePoints(text)
}

function sizeOfItems(value: Exclude<Value, string>): number | undefined {
  if (typeof value !== 'object' || value === null || value instanceof TemplateFloat) return undefined
  return isList(value) ? value.length : value.itemCount()
}

/** {@link measureSize} a value that must have one. @throws TypeError */
export function measureLength(run: Rendering, value: Value): number {
  return measureSize(run, value) ?? raise('TypeError', `object of type '${typeName(value)}' has no len()`)
}
