import { formatMicros, formatWindow, type LimitStatus } from '@svc/auth/limits'
import { formatTime } from './describe.ts'

/** A limit with its count, as replies have it. */
export function describeLimitStatus(status: LimitStatus) {
  const { id, subject, model, window, currency, note, createdAt, countedId, count } = status
  const [maxRequests, maxTokens] = [status.maxRequests ?? null, status.maxTokens ?? null]
  const [maxCost, maxParallel] = [status.maxCostMicros ?? null, status.maxParallel ?? null]
  const left = (most: number | null, used: number): number | null => (most === null ? null : Math.max(0, most - used))
  return {
    id,
    subject_kind: subject.kind,
    subject_id: subject.id,
    model,
    max_requests: maxRequests,
    max_total_tokens: maxTokens,
    max_cost_micros: maxCost,
    currency,
    max_parallel: maxParallel,
    window: formatWindow(window),
    soft: status.isSoft,
    enabled: status.isEnabled,
    note,
    created_at: formatTime(createdAt),
    current:
      count === undefined
        ? null
        : {
            of: countedId ?? '',
            requests: count.requests,
            total_tokens: count.tokens,
            cost_micros: count.costMicros,
            parallel: count.parallel,
            remaining_requests: left(maxRequests, count.requests),
            remaining_total_tokens: left(maxTokens, count.tokens),
            remaining_cost_micros: left(maxCost, count.costMicros),
            resets_at: formatTime(count.resetsAt),
          },
  }
}

/** A limit in one line, as the log of changes has it. */
export function describeLimit({ subject, model, maxRequests, maxTokens, maxCostMicros, ...rest }: LimitStatus): string {
  const bounds = [
    ...(maxRequests === undefined ? [] : [`${maxRequests} requests`]),
    ...(maxTokens === undefined ? [] : [`${maxTokens} tokens`]),
    ...(maxCostMicros === undefined ? [] : [`${formatMicros(maxCostMicros)} ${rest.currency}`]),
    ...(rest.maxParallel === undefined ? [] : [`${rest.maxParallel} at a time`]),
  ]
  const whom = `${subject.kind} ${subject.id}${model === '' ? '' : ` for ${model}`}`
  const state = `${rest.isSoft ? ', soft' : ''}${rest.isEnabled ? '' : ', off'}`
  return `${whom}: ${bounds.join(', ')} in ${formatWindow(rest.window)}${state}`
}
