import { invalidValue } from '../errors.ts'

/** A record of a list. */
interface CsvRecord {
  /** The line in which it begins, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y
/** Signs with which a spreadsheet begins a formula. */
const FORMULA = /^[=+\-@\t\r]/
const SAFE_FORMULA = /^'[=+\-@\t\r]/

/** Reads CSV (RFC 4180). Empty lines are left out. @throws {AuthError} `invalid_request` for a quote in a wrong place */
export function readCsv(text: string): readonly CsvRecord[] {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const records: CsvRecord[] = []
  let [line, start, at] = [1, 1, 0]
  let cells: string[] = []
  const finish = (): void => {
    if (cells.some((cell) => cell !== '')) records.push({ line: start, cells })
    cells = []
    start = line
  }
  while (at < source.length) {
    CELL.lastIndex = at
    const found = CELL.exec(source)
    if (found === null) throw invalidValue(`line ${line}: a quote in a wrong place`)
    const [whole, quoted, plain = '', end = ''] = found
    cells.push(unguard(quoted === undefined ? plain : quoted.replaceAll('""', '"')))
    at += whole.length
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0
    if (end !== ',') finish()
    else if (at === source.length) cells.push('')
  }
  finish()
  return records
}

const unguard = (cell: string): string => (SAFE_FORMULA.test(cell) ? cell.slice(1) : cell)

function writeCell(cell: string): string {
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes CSV. A cell that a spreadsheet would take for a formula gets an apostrophe in front, and {@link readCsv} takes it off. */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('')
}
