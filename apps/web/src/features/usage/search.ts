import { readSearchChoice, readSearchText } from '../../lib/search-values.ts'

export const PERIODS = ['day', 'week', 'month', 'all'] as const
export const GROUPS = ['model', 'user', 'source', 'key'] as const
export const METRICS = ['tokens', 'requests', 'cost'] as const

export type Period = (typeof PERIODS)[number]
export type Group = (typeof GROUPS)[number]
export type Metric = (typeof METRICS)[number]

/** Search parameters of the page of usage. */
export interface UsageSearch {
  /** `prices` shows an admin the price list. */
  readonly view?: 'prices' | undefined
  /** `own` shows an admin the admin's own usage. */
  readonly who?: 'own' | undefined
  /** `month` when it is left out. */
  readonly period?: Period | undefined
  /** `model` when it is left out. */
  readonly group?: Group | undefined
  /** `tokens` when it is left out. */
  readonly metric?: Metric | undefined
  /** Id of an account. */
  readonly user?: string | undefined
  /** Id of a key. */
  readonly key?: string | undefined
}

/** Reads the search parameters of the page. */
export function readUsageSearch(parameters: Record<string, unknown>): UsageSearch {
  const period = readSearchChoice(parameters.period, PERIODS)
  const group = readSearchChoice(parameters.group, GROUPS)
  const metric = readSearchChoice(parameters.metric, METRICS)
  return {
    view: parameters.view === 'prices' ? 'prices' : undefined,
    who: parameters.who === 'own' ? 'own' : undefined,
    period: period === 'month' ? undefined : period,
    group: group === 'model' ? undefined : group,
    metric: metric === 'tokens' ? undefined : metric,
    user: readSearchText(parameters.user),
    key: readSearchText(parameters.key),
  }
}
