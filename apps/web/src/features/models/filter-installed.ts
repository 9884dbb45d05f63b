import { createMatcher } from '../../lib/match-words.ts'
import type { InstalledModel } from '../../lib/server-state.ts'
import type { MODEL_STATES } from './search.ts'

/** Uses of a model, such as `chat`. */
export function listUses({ capabilities }: Pick<InstalledModel, 'capabilities'>): readonly string[] {
  return capabilities.map((name) => name.replace(/^FLAG_/, '').toLowerCase())
}

/** Whether a model completes text and does not chat, because it has no chat template. */
export function continuesText(model: Pick<InstalledModel, 'capabilities'>): boolean {
  const uses = listUses(model)
  return uses.includes('completion') && !uses.includes('chat')
}

/** Filters of installed models. */
export interface InstalledFilter {
  /** Words of the name, the backend or the uses. */
  readonly q: string | undefined
  readonly state: (typeof MODEL_STATES)[number] | undefined
  /** Loaded models, by name. */
  readonly loaded: { has(name: string): boolean }
  /** Models whose last load failed, by name. */
  readonly failures: { has(name: string): boolean }
}

/** The installed models that filters let through. */
export function filterInstalled(
  models: readonly InstalledModel[],
  { q = '', state, loaded, failures }: InstalledFilter,
): readonly InstalledModel[] {
  const matches = createMatcher(q)
  return models.filter((model) => {
    if (!matches([model.id, model.backend, ...listUses(model)].join('\n'))) return false
    if (state === 'loaded') return loaded.has(model.id)
    if (state === 'failed') return failures.has(model.id)
    return state === undefined || model[state]
  })
}
