import { sep } from 'node:path'
import { SvcError } from '@svc/errors'
import { didYouMean } from '../config/suggest.ts'
import { escapeLine } from '../logging/terminal-text.ts'
import { describeWeights } from './attach-weights.ts'
import type { ConfigStore } from './folder-store.ts'
import type { ModelConfig } from './model-config.ts'
import { continuesText, listUsecases } from './usecases.ts'

/** One line of `svc models list`. */
export interface ModelRow {
  readonly name: string
  /** The backend, or `→ target` for an alias. */
  readonly backend: string
  readonly usecases: string
  readonly file: string
  /** `demo`, `disabled`, the fault of the weights, or nothing. */
  readonly note: string
}

/** Lists the models of a store as lines, in byte order of their names. */
export function toModelRows(store: ConfigStore): ModelRow[] {
  return store.list().map((model) => ({
    name: model.name,
    backend: model.alias === undefined ? model.backend || '-' : `→ ${model.alias}`,
    usecases: listUsecases(model).join(',') || '-',
    file: model.file,
    note: toNote(model),
  }))
}

/** The note of a model that cannot chat because nothing says how a conversation is written. */
const CONTINUES_TEXT = 'no chat template: continues text'

function toNote(model: ModelConfig): string {
  const notes = [
    model.source === 'demo' && 'demo',
    model.disabled && 'disabled',
    describeWeights(model),
    continuesText(model) && CONTINUES_TEXT,
  ]
  return notes.filter((note) => typeof note === 'string').join('; ')
}

const COLUMNS: readonly (keyof ModelRow)[] = ['name', 'backend', 'usecases', 'file', 'note']

/**
 * Finds the model of a name.
 *
 * @throws {SvcError} `not_found` with a similar name, and the problem of a file that could hold it
 */
export function findModel(store: ConfigStore, name: string): ModelConfig {
  const model = store.get(name)
  if (model !== undefined) return model
  const names = store.list().map((one) => one.name)
  throw new SvcError('not_found', `there is no model "${name}"${didYouMean(name, names)}`, { code: 'model_not_found' })
}

/** Formats the facts of a model for a terminal: one line for each, without secret values. */
export function formatModel(model: ModelConfig): string {
  const { parameters, llm, gguf } = model
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['name', model.name],
    ['description', model.description],
    ['alias of', model.alias],
    ['backend', model.backend || undefined],
    ['usecases', listUsecases(model).join(', ') || undefined],
    ['file', `${model.folder}${sep}${model.file}`],
    ['weights', parameters.model],
    ['size', gguf === undefined ? undefined : `${(gguf.sizeBytes / 1e6).toFixed(1)} MB`],
    ['projector', llm.mmproj],
    ['draft model', llm.draftModel],
    ['context', model.contextSize === undefined ? undefined : `${model.contextSize} tokens`],
    ['note', toNote(model) || undefined],
  ]
  const known = facts.filter((fact): fact is [string, string] => fact[1] !== undefined)
  return known.map(([label, value]) => `${label.padEnd(12)} ${escapeLine(value.replaceAll(/\s+/g, ' '))}\n`).join('')
}

/** Formats rows as a table for a terminal, with a heading; lines do not end in white space. */
export function formatModelRows(rows: readonly ModelRow[]): string {
  const heading: ModelRow = { name: 'NAME', backend: 'BACKEND', usecases: 'USECASES', file: 'FILE', note: '' }
  const all = [heading, ...rows].map((row) => COLUMNS.map((column) => escapeLine(row[column])))
  const widths = COLUMNS.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)))
  const lines = all.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
