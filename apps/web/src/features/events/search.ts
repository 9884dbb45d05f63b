import { readSearchChoice, readSearchText } from '../../lib/search-values.ts'

export const KINDS = ['pii', 'proxy_connect', 'proxy_traffic', 'admission', 'administration', 'account'] as const
export const ORIGINS = ['middleware', 'proxy', 'pii_analyze', 'pii_redact', 'api', 'command'] as const
export const ACTIONS = ['mask', 'block', 'allow'] as const
/** Events that are asked for at once. */
export const LIMITS = [100, 500, 2000, 10_000] as const

/** Search parameters of the page of events. */
export interface EventsSearch {
  readonly kind?: (typeof KINDS)[number] | undefined
  readonly origin?: (typeof ORIGINS)[number] | undefined
  readonly action?: (typeof ACTIONS)[number] | undefined
  /** Id of an account. */
  readonly user?: string | undefined
  readonly correlation?: string | undefined
  /** Such as `ner:EMAIL`. */
  readonly pattern?: string | undefined
  /** Such as `user.role`, or all of an area: `user`. */
  readonly change?: string | undefined
  /** Target of the change: an id, or the name of a model or backend. */
  readonly target?: string | undefined
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
    change: readSearchText(parameters.change),
    target: readSearchText(parameters.target),
    limit: limit === 100 ? undefined : limit,
    live: String(parameters.live) === 'true' ? true : undefined,
  }
}

/** Whether only changes of the server and of accounts are asked for. */
export function asksChanges({ kind, change, target }: EventsSearch): boolean {
  return isChangeKind(kind) || (kind === undefined && (change !== undefined || target !== undefined))
}

/** The choice of a kind; it removes the filters that do not belong to the kind. */
export function toKind(kind: EventsSearch['kind']): EventsSearch {
  return isChangeKind(kind)
    ? { kind, action: undefined, pattern: undefined }
    : { kind, change: undefined, target: undefined }
}

/** Whether events of a kind are changes of the server or of an account. */
export function isChangeKind(kind: EventsSearch['kind']): boolean {
  return kind === 'administration' || kind === 'account'
}
