import { escapeLine } from '../logging/terminal-text.ts'

/** Rows as lines with columns of equal widths, two blanks apart. */
export function formatTable(table: readonly (readonly string[])[]): string[] {
  const rows = table.map((row) => row.map(escapeLine))
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

/** A share as a percentage: `97.5 %`. */
export const formatShare = (share: number): string => `${(share * 100).toFixed(1)} %`

/** Lines as a text. Labels and names of models are foreign texts: none of them makes a line of its own. */
export const toText = (lines: readonly string[]): string => `${lines.map(escapeLine).join('\n')}\n`
