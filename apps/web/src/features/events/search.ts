import { readSearchChoice, readSearchText } from '../../lib/search-values.ts'

export const KINDS = ['pii', 'proxy_connect', 'proxy_traffic', 'admission'] as const
export const ORIGINS = ['middleware', 'proxy', 'pii_analyze', 'pii_redact'] as const
export const ACTIONS = ['mask', 'block', 'allow'] as const
/** Events that are asked for at once. */
export const LIMITS = [100, 500, 2000, 10_000] as const

/** What the page of events keeps in the address. */
export interface EventsSearch {
  readonly kind?: (typeof KINDS)[number] | undefined
  readonly origin?: (typeof ORIGINS)[number] | undefined
  readonly action?: (typeof ACTIONS)[number] | undefined
  /** Id of an account. */
  readonly user?: string | undefined
  readonly correlation?: string | undefined
  /** Such as `ner:EMAIL`. */
  readonly pattern?: string | undefined
  /** 100 when it is left out. */
  readonly limit?: number | undefined
  readonly live?: true | undefined
}

/** Reads the search parameters of the page. */
export function readEventsSearch(parameters: Record<string, unknown>): EventsSearch {
  const limit = readSearchChoice(parameters.limit, LIMITS)
  return {
    kind: readSearchChoice(parameters.kind, KINDS),
    origin: readSearchChoice(parameters.origin, ORIGINS),
    action: readSearchChoice(parameters.action, ACTIONS),
    user: readSearchText(parameters.user),
    correlation: readSearchText(parameters.correlation),
    pattern: readSearchText(parameters.pattern),
    limit: limit === 100 ? undefined : limit,
    live: String(parameters.live) === 'true' ? true : undefined,
  }
}
