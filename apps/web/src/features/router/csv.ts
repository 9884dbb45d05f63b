/** A row of a CSV file. `line` is its first line, from 1 on. */
export interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** Reads CSV as RFC 4180 describes it: quoted cells may hold commas, line ends and doubled quotes. Blank rows are left out. */
export function readCsv(content: string): CsvRow[] {
  const rows: CsvRow[] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let line = 1
  let start = 1
  const endRow = () => {
    cells.push(cell)
    if (cells.some((value) => value.trim() !== '')) rows.push({ line: start, cells })
    cells = []
    cell = ''
  }
  for (let index = 0; index < content.length; index += 1) {
    const character = content[index] ?? ''
    if (character === '\n') line += 1
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (content[index + 1] === '"') {
        cell += '"'
        index += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === ',') {
      cells.push(cell)
      cell = ''
    } else if (character === '\n') {
      endRow()
      start = line
    } else if (character !== '\r') cell += character
  }
  endRow()
  return rows
}
