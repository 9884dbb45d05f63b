import { useState } from 'react'

/** A part of a list, the newest first. */
export interface ListedPage<Row> {
  readonly rows: readonly Row[]
  /** Number of all matching rows. */
  readonly total: number
}

/** Rows that stay where they are, and how many newer ones wait. */
export interface HeldRows<Row> extends ListedPage<Row> {
  /** Rows that came since; they are shown on demand. */
  readonly waiting: number
}

interface Listed {
  readonly id: string
}

/** Takes newer facts of the rows that are shown from a later page, and counts the rows above them. */
export function holdRows<Row extends Listed>(shown: ListedPage<Row>, later: ListedPage<Row>): HeldRows<Row> {
  // a list that was cleared has no rows to keep in place
  if (shown.rows.length === 0 || later.total === 0) return { ...later, waiting: 0 }
  const known = new Map(later.rows.map((row) => [row.id, row]))
  const ids = new Set(shown.rows.map(({ id }) => id))
  const first = later.rows.findIndex(({ id }) => ids.has(id))
  return {
    rows: shown.rows.map((row) => known.get(row.id) ?? row),
    total: later.total,
    waiting: first < 0 ? later.rows.length : first,
  }
}

/**
 * Keeps the rows of a list in place while it is fetched again and again.
 *
 * @param key everything that the list depends on; another key shows the new list at once
 */
export function useHeldRows<Row extends Listed>(
  key: string,
  page: ListedPage<Row> | undefined,
): { readonly held: HeldRows<Row> | undefined; readonly showWaiting: () => void } {
  const [shown, setShown] = useState<{ readonly key: string; readonly page: ListedPage<Row> }>()
  const isOther =
    page !== undefined && (shown === undefined || shown.key !== key || shown.page.rows.length === 0 || page.total === 0)
  if (isOther && (shown?.key !== key || shown.page !== page)) setShown({ key, page })
  const base = isOther ? page : shown?.page
  return {
    held: base === undefined ? undefined : holdRows(base, page ?? base),
    showWaiting: () => page !== undefined && setShown({ key, page }),
  }
}
