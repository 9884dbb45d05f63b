import { readSearchChoice } from '../../lib/search-values.ts'

/** Views of an agent. */
export const VIEWS = ['chat', 'settings', 'files'] as const

/** Search parameters of the page of an agent. */
export interface AgentSearch {
  readonly view?: (typeof VIEWS)[number] | undefined
}

export function readAgentSearch({ view }: Record<string, unknown>): AgentSearch {
  return { view: readSearchChoice(view, VIEWS) }
}
