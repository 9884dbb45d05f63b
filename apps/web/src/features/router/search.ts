import { readSearchChoice, readSearchText } from '../../lib/search-values.ts'

/** Filters of the decision log, and the decision that is open. */
export interface DecisionSearch {
  readonly router?: string | undefined
  /** Id of an account. */
  readonly user?: string | undefined
  readonly correlation?: string | undefined
  readonly reason?: (typeof REASONS)[number] | undefined
  readonly decision?: string | undefined
  readonly live?: true | undefined
}

/** Reason for a decision. */
export const REASONS = [
  'covered',
  'rule',
  'sticky',
  'selected',
  'no-label',
  'not-covered',
  'classifier-failed',
  'no-classifier',
] as const

/** Views of a router. */
export const VIEWS = ['try', 'setup', 'decisions', 'corpus'] as const

/** Search parameters of the page of a router. Texts are never in the address. */
export interface RouterSearch extends DecisionSearch {
  readonly view?: (typeof VIEWS)[number] | undefined
}

/** Reads the search parameters of the list of routers. */
export function readRoutersSearch(parameters: Record<string, unknown>): DecisionSearch {
  return {
    router: readSearchText(parameters.router),
    user: readSearchText(parameters.user),
    correlation: readSearchText(parameters.correlation),
    reason: readSearchChoice(parameters.reason, REASONS),
    decision: readSearchText(parameters.decision),
    live: String(parameters.live) === 'true' ? true : undefined,
  }
}

/** Reads the search parameters of a router. */
export function readRouterSearch(parameters: Record<string, unknown>): RouterSearch {
  return { ...readRoutersSearch(parameters), view: readSearchChoice(parameters.view, VIEWS) }
}
