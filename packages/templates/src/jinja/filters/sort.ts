import { isOrdered } from '../compare.ts'
import type { Rendering } from '../rendering.ts'
import type { Value } from '../values/value.ts'

/** Options of sorting. */
export interface SortOptions {
  readonly key: (item: Value) => Value
  readonly reverse: boolean
}

/** The items in order of their keys; items with equal keys keep their order, also in reverse. */
export function sortItems(run: Rendering, items: readonly Value[], { key, reverse }: SortOptions): Value[] {
  const keyed = items.map((item) => ({ item, key: key(item) }))
  const isBefore = (a: Value, b: Value): boolean => (reverse ? isOrdered(run, '<', b, a) : isOrdered(run, '<', a, b))
  keyed.sort((a, b) => {
    if (isBefore(a.key, b.key)) return -1
    return isBefore(b.key, a.key) ? 1 : 0
  })
  return keyed.map(({ item }) => item)
}
