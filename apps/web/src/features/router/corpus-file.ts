import { isRecord } from '../../lib/api-error.ts'
import { readCsv } from './csv.ts'

/** A labelled text. */
export interface CorpusEntry {
  readonly text: string
  readonly labels: readonly string[]
}

/** The reason why a line is left out. */
export type CorpusProblem =
  | 'not-json'
  | 'no-text'
  | 'no-label'
  | 'empty-label'
  | 'repeated-label'
  | 'unknown-label'
  | 'repeated-text'

/** Content of a file of labelled texts. */
export interface CorpusFile {
  readonly entries: readonly CorpusEntry[]
  /** Lines that are left out. `line` counts from 1; `value` is the label in question. */
  readonly problems: readonly { readonly line: number; readonly problem: CorpusProblem; readonly value?: string }[]
}

interface Row {
  readonly line: number
  readonly text: unknown
  readonly labels: unknown
}

/**
 * Reads labelled texts: JSON lines `{"text": …, "labels": […]}`, a request of the API with its `entries`, or CSV with the
 * columns `text` and `labels`, in which `;` divides labels.
 *
 * @param known labels that the router declares
 */
export function readCorpusFile(content: string, known: readonly string[]): CorpusFile {
  const isJson = content.trimStart().startsWith('{')
  const entries: CorpusEntry[] = []
  const problems: { line: number; problem: CorpusProblem; value?: string }[] = []
  const texts = new Set<string>()
  for (const row of isJson ? readJson(content) : readCsvRows(content)) {
    const found = checkRow(row, { known, texts })
    if ('problem' in found) problems.push({ line: row.line, ...found })
    else {
      texts.add(found.text)
      entries.push(found)
    }
  }
  return { entries, problems }
}

function readJson(content: string): Generator<Row> {
  const whole = parseJson(content)
  return isRecord(whole) && Array.isArray(whole.entries) ? readEntries(whole.entries, content) : readJsonLines(content)
}

function* readJsonLines(content: string): Generator<Row> {
  let line = 0
  for (const part of content.split('\n')) {
    line += 1
    if (part.trim() !== '') yield toRow(parseJson(part), line)
  }
}

/** The entries of a request. Each text is looked for behind the one before it, to find its line. */
function* readEntries(entries: readonly unknown[], content: string): Generator<Row> {
  let [line, place] = [1, 0]
  for (const entry of entries) {
    const text = isRecord(entry) ? entry.text : undefined
    const found = content.indexOf(JSON.stringify(text ?? entry), place)
    if (found >= 0) {
      line += content.slice(place, found).split('\n').length - 1
      place = found
    }
    yield toRow(entry, line)
  }
}

function toRow(value: unknown, line: number): Row {
  return isRecord(value)
    ? { line, text: value.text, labels: value.labels }
    : { line, text: undefined, labels: undefined }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function* readCsvRows(content: string): Generator<Row> {
  const [head, ...rows] = readCsv(content)
  if (head === undefined) return
  const names = head.cells.map((cell) => cell.trim().toLowerCase())
  const hasHead = names.includes('text') && (names.includes('labels') || names.includes('label'))
  const textColumn = hasHead ? names.indexOf('text') : 0
  const labelColumn = hasHead ? names.findIndex((name) => name === 'labels' || name === 'label') : 1
  for (const { line, cells } of hasHead ? rows : [head, ...rows]) {
    const labels = cells[labelColumn]
    yield { line, text: cells[textColumn], labels: labels?.split(';').map((label) => label.trim()) }
  }
}

function checkRow(
  { text, labels }: Row,
  { known, texts }: { readonly known: readonly string[]; readonly texts: ReadonlySet<string> },
): CorpusEntry | { readonly problem: CorpusProblem; readonly value?: string } {
  if (text === undefined && labels === undefined) return { problem: 'not-json' }
  if (typeof text !== 'string' || text.trim() === '') return { problem: 'no-text' }
  if (!Array.isArray(labels) || labels.length === 0) return { problem: 'no-label' }
  const seen = new Set<string>()
  for (const label of labels) {
    if (typeof label !== 'string' || label.trim() === '') return { problem: 'empty-label' }
    if (!known.includes(label)) return { problem: 'unknown-label', value: label }
    if (seen.has(label)) return { problem: 'repeated-label', value: label }
    seen.add(label)
  }
  if (texts.has(text)) return { problem: 'repeated-text' }
  return { text, labels: [...seen] }
}

/** Cuts entries into requests. */
export function cutChunks(entries: readonly CorpusEntry[], size = 500): CorpusEntry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
    entries.slice(index * size, (index + 1) * size),
  )
}
