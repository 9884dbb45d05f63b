import { readSearchText } from '../../lib/search-values.ts'

/** What the playground keeps in the address. Texts never stand in it. */
export interface PlaygroundSearch {
  readonly model?: string | undefined
}

/** Reads the search parameters of the page. */
export function readPlaygroundSearch(parameters: Record<string, unknown>): PlaygroundSearch {
  return { model: readSearchText(parameters.model) }
}
