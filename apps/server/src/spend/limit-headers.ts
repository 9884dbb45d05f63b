import { describeLimit, type LimitFigures } from '@svc/auth/limits'
import type { PassedLimit } from '@svc/auth/ports'

const KINDS = ['requests', 'tokens'] as const
/** Characters that a header value may not have. */
const NOT_IN_HEADER = /[^\x20-\x7e]/g
const MAX_LENGTH = 1000

/**
 * What is left under limits, as the clients of a format read it: `x-ratelimit-*` with lengths of time such as `6m0s`, or
 * `anthropic-ratelimit-*` with times.
 *
 * @param now milliseconds since the epoch
 */
export function limitHeaders(figures: LimitFigures, family: string, now: number): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const kind of KINDS) {
    const bound = figures[kind]
    if (bound === undefined) continue
    const [limit, remaining] = [String(bound.limit), String(bound.remaining)]
    if (family === 'messages') {
      const name = `anthropic-ratelimit-${kind}`
      headers[`${name}-limit`] = limit
      headers[`${name}-remaining`] = remaining
      headers[`${name}-reset`] = formatSecond(bound.resetsAt)
    } else {
      headers[`x-ratelimit-limit-${kind}`] = limit
      headers[`x-ratelimit-remaining-${kind}`] = remaining
      headers[`x-ratelimit-reset-${kind}`] = formatReset(bound.resetsAt - now)
    }
  }
  return headers
}

/** Names the soft limits that a request has passed, for `x-svc-soft-limit`. */
export function softLimitHeader(passed: readonly PassedLimit[]): string {
  const texts = passed.map(({ rule, full }) => describeLimit(rule, full).replaceAll(NOT_IN_HEADER, '?'))
  return texts.join('; ').slice(0, MAX_LENGTH)
}

/** The first whole second that is not before a time. */
function formatSecond(time: number): string {
  return new Date(Math.ceil(time / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}

/** A length of time such as `1h0m0s`, `6m0s`, `2s` or `20ms`. */
function formatReset(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.ceil(milliseconds))}ms`
  const total = Math.ceil(milliseconds / 1000)
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}
