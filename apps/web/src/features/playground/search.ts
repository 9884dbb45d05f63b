import { readSearchText } from '../../lib/search-values.ts'

/** Search parameters of the playground. Texts are never in the address. */
export interface PlaygroundSearch {
  readonly model?: string | undefined
}

/** Reads the search parameters of the page. */
export function readPlaygroundSearch(parameters: Record<string, unknown>): PlaygroundSearch {
  return { model: readSearchText(parameters.model) }
}
