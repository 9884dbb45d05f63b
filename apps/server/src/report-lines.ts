/** Rows as lines with columns of equal widths, two blanks apart. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

/** A share as a percentage: `97.5 %`. */
export const formatShare = (share: number): string => `${(share * 100).toFixed(1)} %`

/** Lines as a text. */
export const toText = (lines: readonly string[]): string => `${lines.join('\n')}\n`
