import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'

/** Rows of a long table that are in the page, and the room of the others. */
export interface VirtualRows {
  /** Places of the rows to draw. */
  readonly indexes: readonly number[]
  /** Pixels above and below them. */
  readonly before: number
  readonly after: number
  readonly scrollTo: (index: number) => void
}

/** Tables up to this length are drawn whole. */
const WHOLE = 120

/**
 * Draws only the rows of a long table that are in view. The table stays a real one: give it `aria-rowcount`, its rows
 * `aria-rowindex`, and put an empty row of the heights `before` and `after` at its ends.
 *
 * @param scroller the box that scrolls @param height pixels of a row
 */
export function useVirtualRows(count: number, scroller: RefObject<HTMLElement | null>, height: number): VirtualRows {
  const isWhole = count <= WHOLE
  const virtualizer = useVirtualizer({
    count,
    enabled: !isWhole,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  })
  const scrollTo = (index: number) => {
    if (isWhole) scroller.current?.querySelectorAll('[data-row]')[index]?.scrollIntoView({ block: 'nearest' })
    else virtualizer.scrollToIndex(index)
  }
  if (isWhole) return { indexes: Array.from({ length: count }, (_, index) => index), before: 0, after: 0, scrollTo }
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)
  return {
    indexes: items.map(({ index }) => index),
    before: items[0]?.start ?? 0,
    after: last === undefined ? count * height : virtualizer.getTotalSize() - last.end,
    scrollTo,
  }
}
