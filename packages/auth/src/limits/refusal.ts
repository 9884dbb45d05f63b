import { AuthError } from '../errors.ts'
import type { BoundKind, LimitRule, QuotaVerdict } from '../ports/usage.ts'
import { isLimitRule } from '../quotas/apply-work.ts'
import { toLimitFigures } from './figures.ts'
import { formatMicros } from './money.ts'
import { formatWindow } from './window-text.ts'

const MAX_SHOWN = 80

const shorten = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** Whom a limit holds for, as the caller is told. */
function describeSubject({ limit: { subject, model }, subjectId, groupName }: LimitRule): string {
  const shown = shorten(subjectId)
  const group = `the group ${shorten(groupName ?? subject.id)}`
  const whom = {
    account: 'this account',
    key: 'this key',
    group: groupName === undefined ? `the group ${shown}` : group,
    group_member: `this account in ${group}`,
    model: `the model ${shown}`,
    end_user: `the end user ${shown}`,
  }[subject.kind]
  return model === '' ? whom : `${whom} for the model ${model}`
}

function describeBound({ limit }: LimitRule, kind: BoundKind): string {
  const window = formatWindow(limit.window)
  const { maxRequests = 0, maxTokens = 0, maxCostMicros = 0, maxParallel = 0, currency } = limit
  switch (kind) {
    case 'requests':
      return `limit of ${maxRequests} requests (${window})`
    case 'tokens':
      return `limit of ${maxTokens} tokens (${window})`
    case 'cost':
      return `budget of ${formatMicros(maxCostMicros)} ${currency} (${window})`
    case 'parallel':
      return `limit of ${maxParallel} requests at a time`
  }
}

/** Says which limit of whom it is. */
export function describeLimit(rule: LimitRule, kind: BoundKind): string {
  return `${describeBound(rule, kind)} of ${describeSubject(rule)}`
}

/** The refusal of a full limit. */
export function limitExceeded(
  verdict: Extract<QuotaVerdict, { readonly granted: false }> & { readonly rule: LimitRule },
  { now, costMicros }: { readonly now: number; readonly costMicros: number },
): AuthError {
  const { rule, counter, full, resetsAt } = verdict
  const what = describeLimit(rule, full)
  const code = full === 'cost' ? 'budget_exceeded' : 'limit_exceeded'
  const until = `try again at ${new Date(resetsAt).toISOString()}`
  const left = (rule.maxCostMicros ?? 0) - (counter.costMicros ?? 0)
  const isTooDear = full === 'cost' && left > 0
  const reason = isTooDear
    ? `the ${what} has ${formatMicros(left)} ${rule.limit.currency} left, and the request may cost ${formatMicros(costMicros)}`
    : `the ${what} is reached`
  return new AuthError(
    'rate_limited',
    full === 'parallel' ? `${reason}, try again when one ends` : `${reason}, ${until}`,
    {
      code,
      retryAfterMs: Math.max(1, resetsAt - now),
      details: { type: code, figures: toLimitFigures([{ rule, counter }]) },
    },
  )
}

/** Whether a refusal is of a limit. */
export function isLimitRefusal(
  verdict: Extract<QuotaVerdict, { readonly granted: false }>,
): verdict is Extract<QuotaVerdict, { readonly granted: false }> & { readonly rule: LimitRule } {
  return isLimitRule(verdict.rule)
}

/** The refusal of a model whose cost is unknown, under a budget that must not be passed. */
export function priceUnknown(rule: LimitRule, model: string): AuthError {
  const what = describeLimit(rule, 'cost')
  return new AuthError(
    'forbidden',
    `the ${what} allows only models with a price in ${rule.limit.currency}: ${model} has none`,
    {
      code: 'price_unknown',
      details: { type: 'price_unknown', param: 'model' },
    },
  )
}
