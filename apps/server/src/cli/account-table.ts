/** A time as tables have it, to the minute; empty where there is none. */
export function formatDate(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Control characters of a name must not reach the terminal. */
const toCell = (cell: string): string => cell.replace(/\p{Cc}/gu, '?')

/** Rows in columns of equal width, the heading first. */
export function formatRows(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(toCell))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const format = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return cells.map((row) => `${format(row)}\n`).join('')
}
