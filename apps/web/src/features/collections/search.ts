import { readSearchChoice } from '../../lib/search-values.ts'

/** Views of a collection. */
export const VIEWS = ['entries', 'search', 'sources'] as const

/** Search parameters of the page of a collection. Searched texts are never in the address. */
export interface CollectionSearch {
  readonly view?: (typeof VIEWS)[number] | undefined
}

export function readCollectionSearch({ view }: Record<string, unknown>): CollectionSearch {
  return { view: readSearchChoice(view, VIEWS) }
}
