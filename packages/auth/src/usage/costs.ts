import type { UsageGroup } from '../ports/usage.ts'

/** A sum of costs in one currency. */
interface CurrencyCost {
  /** ISO 4217 code. */
  readonly currency: string
  /** Whole millionths of the currency. */
  readonly costMicros: number
}

/** The costs of some requests. */
export interface UsageCosts {
  /** Known costs, one sum for each currency, by code; empty where none is known. */
  readonly costs: readonly CurrencyCost[]
  /** Requests whose cost is unknown; 0 where no costs were counted. */
  readonly unpricedRequests: number
}

/** The costs of no requests. */
const NO_COSTS: UsageCosts = { costs: [], unpricedRequests: 0 }

/** Adds up costs by currency. Requests of a time without prices are of unknown cost beside those with one. */
export function sumCosts(
  groups: readonly Pick<UsageGroup, 'currency' | 'costMicros' | 'unpricedRequests' | 'requests'>[],
): UsageCosts {
  const sums = new Map<string, number>()
  let unpricedRequests = 0
  for (const { currency, costMicros, unpricedRequests: unpriced, requests } of groups) {
    unpricedRequests += currency === '' ? requests : unpriced
    if (currency !== '' && unpriced < requests) sums.set(currency, (sums.get(currency) ?? 0) + costMicros)
  }
  if (groups.every(({ currency }) => currency === '')) return NO_COSTS
  const costs = [...sums].map(([currency, costMicros]) => ({ currency, costMicros }))
  return { costs: costs.sort((left, right) => (left.currency < right.currency ? -1 : 1)), unpricedRequests }
}
