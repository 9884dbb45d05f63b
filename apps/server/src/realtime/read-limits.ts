import type { Principal } from '@svc/auth'
import type { QuotaStatus, Quotas } from '@svc/auth/quotas'
import type { Clock } from '../ports.ts'
import type { RateLimit } from './session/session-context.ts'

/** Parts of {@link createLimitReader}. */
export interface LimitReaderParts {
  readonly quotas: Pick<Quotas, 'readStatus' | 'hasLimits' | 'limits'>
  readonly clock: Pick<Clock, 'now'>
}

/** Creates the function that reads what is left of the quotas and limits of a caller: the tightest of each kind. */
export function createLimitReader({ quotas, clock }: LimitReaderParts) {
  return async (principal: Principal, options: { readonly signal: AbortSignal }): Promise<readonly RateLimit[]> => {
    const statuses = principal.quotas.length === 0 ? [] : await quotas.readStatus(principal.id, options)
    const further = quotas.hasLimits ? await quotas.limits.readOwn(principal, options) : []
    const counted = further.flatMap(({ count, maxRequests, maxTokens }) =>
      count === undefined ? [] : [{ maxRequests, maxTokens, ...count }],
    )
    const limits = [...statuses, ...counted].flatMap((status) => toLimits(status, clock.now()))
    return (['requests', 'tokens'] as const).flatMap((name) => {
      const [tightest] = limits.filter((limit) => limit.name === name).sort((a, b) => a.remaining - b.remaining)
      return tightest === undefined ? [] : [tightest]
    })
  }
}

type Counted = Pick<QuotaStatus, 'maxRequests' | 'maxTokens' | 'requests' | 'tokens' | 'resetsAt'>

function toLimits({ maxRequests, maxTokens, requests, tokens, resetsAt }: Counted, now: number): RateLimit[] {
  const reset_seconds = Math.max(0, (resetsAt - now) / 1000)
  const toLimit = (name: RateLimit['name'], limit: number | undefined, used: number): RateLimit[] =>
    limit === undefined ? [] : [{ name, limit, remaining: Math.max(0, limit - used), reset_seconds }]
  return [...toLimit('requests', maxRequests, requests), ...toLimit('tokens', maxTokens, tokens)]
}
