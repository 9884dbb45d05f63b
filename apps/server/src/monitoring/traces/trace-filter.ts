import type { CountedRequests } from './summarize.ts'

/** Statuses from one to another, both included. */
export interface StatusRange {
  readonly from: number
  readonly to: number
}

/** Conditions that a listed trace must meet. An absent one is not checked. */
export interface TraceFilter {
  /** The model that was asked for, or the one that served. */
  readonly model?: string | undefined
  /** Statuses of replies; those of requests under way are 0. One of them is enough. */
  readonly statuses?: readonly StatusRange[] | undefined
  /** Whether requests that failed match too, by whatever status. A status below 400 matches none of them. */
  readonly isFailed?: boolean | undefined
  /** State of a call to a backend. */
  readonly state?: string | undefined
  /** Kind of a call to a backend. */
  readonly type?: string | undefined
  /** Id or name of the caller. */
  readonly user?: string | undefined
  readonly correlationId?: string | undefined
  readonly minDurationMs?: number | undefined
  /** Milliseconds since the epoch, included. */
  readonly since?: number | undefined
  /** Milliseconds since the epoch, not included. */
  readonly until?: number | undefined
  /** A part of a name, an id, a path or an error, in any case. */
  readonly text?: string | undefined
}

/** The fields of a trace of either kind that filters read. */
interface TraceHead {
  readonly id?: string
  readonly timestamp?: string
  readonly duration?: number
  readonly correlation_id?: string
  readonly request?: { readonly path?: string }
  readonly response?: { readonly status?: number }
  readonly failed?: true
  readonly error?: string
  readonly error_code?: string
  readonly user_id?: string
  readonly user_name?: string
  readonly model?: string
  readonly served_model?: string
  readonly model_name?: string
  readonly status?: string
  readonly type?: string
  readonly backend?: string
  readonly summary?: string
}

const NANOSECONDS = 1e6
/** The longest duration that a summary holds, in milliseconds. */
const MAX_MS = 2 ** 32 - 1

/** Gives a predicate of heads; undefined for a filter without conditions. A head that is not JSON matches nothing. */
export function createTraceMatcher(filter: TraceFilter): ((head: string) => boolean) | undefined {
  const checks = listChecks(filter)
  if (checks.length === 0) return undefined
  return (head) => {
    const trace = parseHead(head)
    return trace !== undefined && checks.every((check) => check(trace))
  }
}

function listChecks(filter: TraceFilter): ((trace: TraceHead) => boolean)[] {
  const { model, statuses, isFailed = false, state, type, user, correlationId, minDurationMs, since, until } = filter
  const text = filter.text?.toLowerCase()
  const checks: [isAsked: boolean, check: (trace: TraceHead) => boolean][] = [
    [model !== undefined, (trace) => [trace.model, trace.served_model, trace.model_name].includes(model)],
    [statuses !== undefined || isFailed, (trace) => hasStatus(trace, { statuses, isFailed })],
    [state !== undefined, ({ status }) => status === state],
    [type !== undefined, (trace) => trace.type === type],
    [user !== undefined, (trace) => trace.user_id === user || trace.user_name === user],
    [correlationId !== undefined, (trace) => trace.correlation_id === correlationId],
    [minDurationMs !== undefined, ({ duration = 0 }) => duration >= (minDurationMs ?? 0) * NANOSECONDS],
    [since !== undefined || until !== undefined, ({ timestamp }) => isBetween(timestamp, { since, until })],
    [text !== undefined, (trace) => listTexts(trace).some((one) => one?.toLowerCase().includes(text ?? ''))],
  ]
  return checks.filter(([isAsked]) => isAsked).map(([, check]) => check)
}

/** The lowest status of a refusal. */
const REFUSED = 400

/** Whether a finished request counts as failed, as the summary counts it. */
const isFailedTrace = ({ failed, response: { status = 0 } = {} }: Pick<TraceHead, 'failed' | 'response'>): boolean =>
  failed === true || status >= 500

/** A reply that began well and broke off later has a good status, and is not among the good ones. */
function hasStatus(trace: TraceHead, { statuses = [], isFailed }: Pick<TraceFilter, 'statuses' | 'isFailed'>): boolean {
  const { status = Number.NaN } = trace.response ?? {}
  if (isFailedTrace(trace) && (isFailed || status < REFUSED)) return isFailed === true
  return isWithin(status, statuses)
}

const isWithin = (status: number, ranges: readonly StatusRange[]): boolean =>
  ranges.some(({ from, to }) => status >= from && status <= to)

function isBetween(timestamp: string | undefined, { since, until }: Pick<TraceFilter, 'since' | 'until'>): boolean {
  const at = Date.parse(timestamp ?? '')
  return at >= (since ?? Number.NEGATIVE_INFINITY) && at < (until ?? Number.POSITIVE_INFINITY)
}

/** Finished requests by their heads, for a summary. Requests under way are left out. */
export function countTraces(heads: readonly string[]): CountedRequests {
  const finished = heads.flatMap((head) => {
    const trace = parseHead(head)
    return trace === undefined || (trace.response?.status ?? 0) === 0 ? [] : [trace]
  })
  return {
    length: finished.length,
    visit(take) {
      for (const trace of finished) {
        const durationMs = Math.min(Math.round((trace.duration ?? 0) / NANOSECONDS), MAX_MS)
        take(Date.parse(trace.timestamp ?? ''), durationMs, isFailedTrace(trace))
      }
    },
  }
}

const listTexts = (trace: TraceHead): (string | undefined)[] => [
  trace.id,
  trace.correlation_id,
  trace.request?.path,
  trace.model,
  trace.served_model,
  trace.model_name,
  trace.user_id,
  trace.user_name,
  trace.error,
  trace.error_code,
  trace.type,
  trace.backend,
  trace.summary,
]

function parseHead(head: string): TraceHead | undefined {
  try {
    return JSON.parse(head) as TraceHead
  } catch {
    return undefined
  }
}
