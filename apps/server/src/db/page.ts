import { and, asc, desc, eq, gt, lt, or, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** Part of a list that is ordered by time, and by id where times are equal. */
export interface PageQuery {
  /** Most items. */
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** Id of the item before the first one. */
  readonly after?: string | undefined
  /** Id of the item after the last one. Without {@link after}, the items right before it are given. */
  readonly before?: string | undefined
}

/** Items of a list, with whether there are more in its direction. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

/** Place of an item in a list. */
export interface Place {
  readonly id: string
  readonly createdAt: number
}

/** A list in the database. */
export interface PagedList<Row extends Place> {
  /** Finds the place of an item of the list. */
  find(id: string): Promise<Place | undefined>
  /**
   * Gives rows.
   *
   * @param part condition of a page, with its order
   */
  rows(part: (columns: PlaceColumns) => PagePart, limit: number): Promise<readonly Row[]>
}

/** The columns by which a list is ordered. */
export interface PlaceColumns {
  readonly id: SQLiteColumn
  readonly createdAt: SQLiteColumn
}

/** Condition and order of a page. */
export interface PagePart {
  readonly where: SQL | undefined
  readonly orderBy: readonly SQL[]
}

/**
 * Reads a page of a list.
 *
 * @returns undefined when a cursor names no item of the list, with the name of the cursor
 */
export async function readPage<Row extends Place>(
  { limit, order, after, before }: PageQuery,
  list: PagedList<Row>,
): Promise<Page<Row> | { readonly unknown: 'after' | 'before' }> {
  const first = after === undefined ? undefined : await list.find(after)
  if (after !== undefined && first === undefined) return { unknown: 'after' }
  const last = before === undefined ? undefined : await list.find(before)
  if (before !== undefined && last === undefined) return { unknown: 'before' }
  const isBackward = first === undefined && last !== undefined
  const isRising = (order === 'asc') !== isBackward
  const rows = await list.rows(
    (columns) => ({
      where: and(first && isBeyond(columns, first, order === 'asc'), last && isBeyond(columns, last, order !== 'asc')),
      orderBy: isRising ? [asc(columns.createdAt), asc(columns.id)] : [desc(columns.createdAt), desc(columns.id)],
    }),
    limit + 1,
  )
  const items = rows.slice(0, limit)
  return { items: isBackward ? items.reverse() : items, hasMore: rows.length > limit }
}

function isBeyond({ id, createdAt }: PlaceColumns, place: Place, isLater: boolean): SQL | undefined {
  const beyond = isLater ? gt : lt
  return or(beyond(createdAt, place.createdAt), and(eq(createdAt, place.createdAt), beyond(id, place.id)))
}
