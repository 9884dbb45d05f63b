/** Starts of texts that programs for tables run as formulas. */
const FORMULA = /^[=+\-@\t\r]/

/** Writes a table (RFC 4180). A text that would be a formula gets an apostrophe before it. */
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
}

function toCell(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const given = String(value)
  const text = FORMULA.test(given) ? `'${given}` : given
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
