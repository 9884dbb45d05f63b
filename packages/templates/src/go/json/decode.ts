import { toText } from '../bytes.ts'
import { toGoValue } from '../data.ts'
import { GoCallError, GoTemplateLimitError } from '../errors.ts'
import type { Budget } from '../limits.ts'
import { GoMap, GoSlice, type GoValue } from '../values.ts'

/** A decoded document, and whether a number in it was too large for `float64` (Go reads such a number as nil). */
export interface Decoded {
  readonly value: GoValue
  readonly overflows: boolean
}

/**
 * `json.Unmarshal` into `any`: numbers are `float64`, of equal keys the last one counts.
 *
 * @throws GoCallError when the text is not JSON
 */
export function decodeJson(budget: Budget, bytes: string): Decoded {
  const { maxValueDepth } = budget.limits
  if (nesting(bytes) > maxValueDepth) throw new GoTemplateLimitError('maxValueDepth', maxValueDepth)
  budget.spend(Math.ceil(bytes.length / 8))
  const value = toGoValue(parse(toText(bytes)), maxValueDepth + 1)
  return withoutInfinities(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new GoCallError('invalid JSON')
  }
}

/** The deepest nesting of brackets outside strings. */
function nesting(bytes: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) {
      inString = true
    } else if (char === 0x5b || char === 0x7b) {
      depth++
      deepest = Math.max(deepest, depth)
    } else if (char === 0x5d || char === 0x7d) {
      depth--
    }
  }
  return deepest
}

function withoutInfinities(value: GoValue): Decoded {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? { value, overflows: false } : { value: null, overflows: true }
  }
  let overflows = false
  const clean = (item: GoValue): GoValue => {
    const decoded = withoutInfinities(item)
    overflows ||= decoded.overflows
    return decoded.value
  }
  if (value instanceof GoSlice) {
    const items = value.items.map(clean)
    return { value: overflows ? new GoSlice(value.element, items) : value, overflows }
  }
  if (value instanceof GoMap) {
    const entries = new Map([...value.entries].map(([key, item]) => [key, clean(item)]))
    return { value: overflows ? new GoMap(value.element, entries) : value, overflows }
  }
  return { value, overflows }
}
