/** Parts of a list, for statements with a bound: databases limit their parameters. */
export function inBatches<T>(entries: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(entries.length / size)
  return Array.from({ length: count }, (_, index) => entries.slice(index * size, (index + 1) * size))
}

/** Ids of one query. */
const MAX_IDS = 500

/** The rows of many ids, a query for some of them at a time. */
export async function readByIds<Row>(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const some of inBatches(ids, MAX_IDS)) rows.push(...(await read(some)))
  return rows
}
