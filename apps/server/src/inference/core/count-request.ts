import { SvcError } from '@svc/errors'
import type { LimitName, RequestOutcome, ServerSeries } from '../../monitoring/server-series.ts'
import type { RequestLedger } from './ledger.ts'

const LIMITS: Readonly<Record<string, LimitName>> = {
  capacity_reached: 'global',
  admission_rejected: 'model',
  quota_exceeded: 'quota',
  limit_exceeded: 'limit',
  budget_exceeded: 'budget',
}

/** Kinds of errors whose status is 500 or above. */
const FAILURES: ReadonlySet<string> = new Set([
  'internal',
  'not_implemented',
  'upstream_failed',
  'unavailable',
  'timeout',
  'insufficient_storage',
  'loop',
])

/** Counts an inference request that has ended. @param thrown the error that ended it before its reply */
export function countRequest(series: ServerSeries, ledger: RequestLedger | undefined, thrown: unknown): void {
  const limit = findLimit(thrown)
  if (limit !== undefined) series.countRefusal(limit)
  const model = ledger?.servedModel.name
  series.countRequest(model, findOutcome(ledger, thrown))
  if (ledger === undefined || model === undefined) return
  const { promptTokens: prompt, completionTokens: completion, media } = ledger.usage
  series.countTokens(model, { prompt, completion })
  series.countMedia(model, media)
}

/** The limit that refused a request; undefined for every other error. */
export function findLimit(thrown: unknown): LimitName | undefined {
  return SvcError.is(thrown) ? LIMITS[thrown.code] : undefined
}

/** The way in which a request has ended. @param thrown the error that ended it before its reply */
export function findOutcome(ledger: RequestLedger | undefined, thrown: unknown): RequestOutcome {
  const failure = thrown ?? ledger?.failure
  if (failure === undefined) {
    const status = ledger?.upstreamStatus ?? 200
    if (status >= 500) return 'failed'
    return status >= 400 ? 'refused' : 'completed'
  }
  if (!SvcError.is(failure)) return 'failed'
  if (failure.kind === 'cancelled') return 'left'
  // A reply that has begun is a failure, whatever its error says.
  return thrown === undefined || FAILURES.has(failure.kind) ? 'failed' : 'refused'
}
