import { weightsNote } from './attach-weights.ts'
import type { ConfigStore } from './config-store.ts'
import type { ModelConfig } from './model-config.ts'
import { usecasesOf } from './usecases.ts'

/** One line of `svc models list`. */
export interface ModelRow {
  readonly name: string
  /** The backend, or `→ target` for an alias. */
  readonly backend: string
  readonly usecases: string
  readonly file: string
  /** `demo`, `disabled`, what is wrong with the weights, or nothing. */
  readonly note: string
}

/** The models of a store as lines, in byte order of their names. */
export function toModelRows(store: ConfigStore): ModelRow[] {
  return store.list().map((model) => ({
    name: model.name,
    backend: model.alias === undefined ? model.backend || '-' : `→ ${model.alias}`,
    usecases: usecasesOf(model).join(',') || '-',
    file: model.file,
    note: noteOf(model),
  }))
}

function noteOf(model: ModelConfig): string {
  const notes = [model.source === 'demo' && 'demo', model.disabled && 'disabled', weightsNote(model)]
  return notes.filter((note) => typeof note === 'string').join('; ')
}

const COLUMNS: readonly (keyof ModelRow)[] = ['name', 'backend', 'usecases', 'file', 'note']

/** Rows as a table for a terminal, with a heading; no line ends in white space. */
export function formatModelRows(rows: readonly ModelRow[]): string {
  const heading: ModelRow = { name: 'NAME', backend: 'BACKEND', usecases: 'USECASES', file: 'FILE', note: '' }
  const all = [heading, ...rows]
  const widths = COLUMNS.map((column) => Math.max(...all.map((row) => row[column].length)))
  const lines = all.map((row) =>
    COLUMNS.map((column, index) => row[column].padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
