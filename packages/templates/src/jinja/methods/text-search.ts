import { toCount, toTextArgument } from '../arguments.ts'
import { raise } from '../errors.ts'
import type { Rendering } from '../rendering.ts'
import { countCodePoints, toPointOffset, toUnitOffset } from '../text/code-points.ts'
import { findAll, findLastText, findText } from '../text/search.ts'
import { typeName } from '../values/type-name.ts'
import { isText, Tuple, toPlainText, type Value } from '../values/value.ts'
import type { MethodTable } from './method.ts'

/** A part of a text with its position. */
interface Window {
  readonly text: string
  /** In code points. */
  readonly start: number
}

/** The bounds of a search, as passed. */
interface Bounds {
  readonly start: Value | undefined
  readonly end: Value | undefined
}

/** Adds the methods that look for one text in another. */
export function addTextSearch(table: MethodTable<string>): void {
  table
    .add('find', 'sub start? end?', (run, text, [sub, start, end]) => find(run, text, { sub, start, end }))
    .add('rfind', 'sub start? end?', (run, text, [sub, start, end]) => findLast(run, text, { sub, start, end }))
    .add('index', 'sub start? end?', (run, text, [sub, start, end]) =>
      mustBeFound(find(run, text, { sub, start, end })),
    )
    .add('rindex', 'sub start? end?', (run, text, [sub, start, end]) =>
      mustBeFound(findLast(run, text, { sub, start, end })),
    )
    .add('count', 'sub start? end?', (run, text, [sub, start, end]) => {
      const wanted = toTextArgument(sub)
      const window = toWindow(text, { start, end })
      run.search(text, wanted)
      if (window === undefined) return 0
      return wanted === '' ? countCodePoints(window.text) + 1 : findAll(window.text, wanted).length
    })
    .add('startswith', 'prefix start? end?', (run, text, [prefix, start, end]) => {
      const window = toWindow(text, { start, end })
      const candidates = toCandidates(prefix, 'startswith')
      for (const candidate of candidates) run.search(candidate)
      return window !== undefined && candidates.some((candidate) => window.text.startsWith(candidate))
    })
    .add('endswith', 'suffix start? end?', (run, text, [suffix, start, end]) => {
      const window = toWindow(text, { start, end })
      const candidates = toCandidates(suffix, 'endswith')
      for (const candidate of candidates) run.search(candidate)
      return window !== undefined && candidates.some((candidate) => window.text.endsWith(candidate))
    })
}

function find(run: Rendering, text: string, { sub, ...bounds }: Bounds & { readonly sub: Value }): number {
  const window = toWindow(text, bounds)
  const wanted = toTextArgument(sub)
  run.search(text, wanted)
  const offset = window === undefined ? -1 : findText(window.text, wanted)
  return window === undefined || offset < 0 ? -1 : window.start + toPointOffset(window.text, offset)
}

function findLast(run: Rendering, text: string, { sub, ...bounds }: Bounds & { readonly sub: Value }): number {
  const window = toWindow(text, bounds)
  const wanted = toTextArgument(sub)
  run.search(text, wanted)
  const offset = window === undefined ? -1 : findLastText(window.text, wanted)
  return window === undefined || offset < 0 ? -1 : window.start + toPointOffset(window.text, offset)
}

function mustBeFound(offset: number): number {
  return offset < 0 ? raise('ValueError', 'substring not found') : offset
}

function toCandidates(value: Value, method: string): string[] {
  const items = value instanceof Tuple ? value.items : [value]
  return items.map((item) => {
    if (isText(item)) return toPlainText(item)
    return raise('TypeError', `${method} first arg must be str or a tuple of str, not ${typeName(item)}`)
  })
}

/** The part of a text between two positions; undefined when the first lies after the end of the text. */
function toWindow(text: string, { start, end }: Bounds): Window | undefined {
  if ((start === undefined || start === null) && (end === undefined || end === null)) return { text, start: 0 }
  const length = countCodePoints(text)
  const first = toPlace(start ?? 0, length)
  const last = Math.min(length, toPlace(end ?? length, length))
  if (first > last) return undefined
  return { text: text.slice(toUnitOffset(text, first), toUnitOffset(text, last)), start: first }
}

function toPlace(value: Value, length: number): number {
  const place = toCount(value)
  return place < 0 ? Math.max(0, place + length) : place
}
