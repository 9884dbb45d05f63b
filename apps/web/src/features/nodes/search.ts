import { readSearchChoice, readSearchNumber, readSearchText } from '../../lib/search-values.ts'

/** The states of workers, in the order of the filter. */
export const WORKER_STATES = ['pending', 'healthy', 'draining', 'unhealthy', 'offline'] as const

/** Search parameters of the list of workers. */
export interface NodesSearch {
  readonly q?: string | undefined
  readonly state?: (typeof WORKER_STATES)[number] | undefined
  readonly page?: number | undefined
}

/** Reads the search parameters; a wrong value becomes its default. */
export function readNodesSearch(parameters: Record<string, unknown>): NodesSearch {
  return {
    q: readSearchText(parameters.q),
    state: readSearchChoice(parameters.state, WORKER_STATES),
    page: readSearchNumber(parameters.page, { min: 2 }),
  }
}

/** Search parameters of the page of a worker. */
export interface NodeSearch {
  /** The model whose output is open. */
  readonly log?: string | undefined
}

/** Reads the search parameters of the page of a worker. */
export function readNodeSearch(parameters: Record<string, unknown>): NodeSearch {
  return { log: readSearchText(parameters.log) }
}

/** Search parameters of the page of placements. */
export interface PlacementSearch {
  readonly model?: string | undefined
}

/** Reads the search parameters of the page of placements. */
export function readPlacementSearch(parameters: Record<string, unknown>): PlacementSearch {
  return { model: readSearchText(parameters.model) }
}
