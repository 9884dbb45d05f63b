import { toCount } from '../arguments.ts'
import { isEqual, isOrdered } from '../compare.ts'
import { raise } from '../errors.ts'
import { iterate, toItems } from '../iterate.ts'
import type { Rendering } from '../rendering.ts'
import { define, type Implementation } from '../values/callable.ts'
import { Iteration, type Value } from '../values/value.ts'

/** Filters that lay items out in rows or columns. */
export const CHUNK_FILTERS: ReadonlyMap<string, Implementation> = new Map([
  [
    'batch',
    define(
      'batch',
      'value linecount fill_with?',
      (run, [value, size, filler = null]) => new Iteration(batch(run, value, { size, filler })),
    ),
  ],
  [
    'slice',
    define(
      'slice',
      'value slices fill_with?',
      (run, [value, count, filler = null]) => new Iteration(slice(run, value, { count, filler })),
    ),
  ],
])

/** Rows with this many items. */
function* batch(
  run: Rendering,
  value: Value,
  { size, filler }: { readonly size: Value; readonly filler: Value },
): Iterator<Value> {
  let row: Value[] = []
  for (const item of iterate(run, value)) {
    if (isEqual(run, row.length, size)) {
      yield row
      row = []
    }
    row.push(item)
  }
  if (row.length === 0) return
  if (filler !== null && isOrdered(run, '<', row.length, size)) {
    const wanted = toCount(size)
    run.spend(wanted - row.length)
    while (row.length < wanted) row.push(filler)
  }
  yield row
}

/** So many columns of about the same length; the first ones may have one item more. */
function* slice(
  run: Rendering,
  value: Value,
  { count, filler }: { readonly count: Value; readonly filler: Value },
): Iterator<Value> {
  const items = toItems(run, value)
  const columns = toCount(count)
  if (columns === 0) raise('ZeroDivisionError', 'integer division or modulo by zero')
  const size = Math.floor(items.length / columns)
  const longer = items.length - size * columns
  for (let column = 0, start = 0; column < columns; column++) {
    run.spend(2)
    const end = start + size + (column < longer ? 1 : 0)
    const part = items.slice(start, end)
    if (filler !== null && column >= longer) part.push(filler)
    start = end
    yield part
  }
}
