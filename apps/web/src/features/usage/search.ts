import { readSearchChoice, readSearchText } from '../../lib/search-values.ts'

export const PERIODS = ['day', 'week', 'month', 'all'] as const
export const GROUPS = ['model', 'user', 'source', 'key', 'endUser', 'tag'] as const
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
  /** `NAME` of the tag to group by, or `NAME:VALUE` to show the requests with it alone. */
  readonly tag?: string | undefined
  /** Shows the requests of one end user. */
  readonly endUser?: string | undefined
}

/** What the server is asked about tags and end users. */
export interface LabelQuery {
  readonly group_by?: string
  readonly tag?: string
  readonly end_user?: string
}

/** The question of a search about tags and end users; sums are of one tag, or of end users. */
export function toLabelQuery({ group, tag, endUser }: UsageSearch): LabelQuery {
  const [name = ''] = (tag ?? '').split(':')
  const filter: LabelQuery = tag?.includes(':') ? { tag } : endUser === undefined ? {} : { end_user: endUser }
  if (group === 'endUser') return { group_by: 'end_user', ...(filter.end_user === undefined ? {} : filter) }
  if (group === 'tag' && name !== '') return { group_by: `tag:${name}`, ...(filter.tag === undefined ? {} : filter) }
  return filter
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
    tag: readSearchText(parameters.tag),
    endUser: readSearchText(parameters.endUser),
  }
}
