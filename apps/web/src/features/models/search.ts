/** The view of the page: models of the galleries, installed models, or files that no model needs. */
export type ModelView = 'explore' | 'installed' | 'unused'

/** The orders of the galleries' list. */
export const SORTS = ['name', 'repository', 'license', 'status'] as const

/** The states that installed models are filtered by. */
export const MODEL_STATES = ['loaded', 'failed', 'pinned', 'disabled'] as const

/** Search parameters of the page of models. Absent ones have their defaults. */
export interface ModelsSearch {
  readonly view?: ModelView
  readonly q?: string
  /** Gallery: a use or tag. */
  readonly capability?: string
  readonly backend?: string
  readonly tag?: string
  readonly fits?: boolean
  readonly sort?: (typeof SORTS)[number]
  readonly order?: 'desc'
  /** Pages of the gallery that are shown. */
  readonly pages?: number
  readonly state?: (typeof MODEL_STATES)[number]
  /** The model whose details are open: of the gallery by its id, of this server by its name. */
  readonly model?: string
}

const MAX_PAGES = 40

function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readWord<const Word extends string>(value: unknown, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === value)
}

/** Reads the search parameters; a wrong value becomes its default. */
export function readModelsSearch(parameters: Record<string, unknown>): ModelsSearch {
  const { pages, fits } = parameters
  const view = readWord(parameters.view, ['explore', 'installed', 'unused'])
  const sort = readWord(parameters.sort, SORTS)
  const order = readWord(parameters.order, ['desc'])
  const state = readWord(parameters.state, MODEL_STATES)
  const texts = {
    q: readText(parameters.q),
    capability: readText(parameters.capability),
    backend: readText(parameters.backend),
    tag: readText(parameters.tag),
    model: readText(parameters.model),
  }
  return {
    ...(view && { view }),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    ...((fits === true || fits === 'true') && { fits: true }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(typeof pages === 'number' && Number.isInteger(pages) && pages > 1 && { pages: Math.min(pages, MAX_PAGES) }),
    ...(state && { state }),
  }
}

/** Whether a filter narrows the gallery's list. */
export function hasGalleryFilter({ q, capability, backend, tag, fits }: ModelsSearch): boolean {
  return [q, capability, backend, tag].some((text) => text !== undefined) || fits === true
}
