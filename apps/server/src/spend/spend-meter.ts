import type { Cost } from '@svc/auth/quotas'
import type { ModelConfig } from '../catalog/model-config.ts'
import { listFailoverTargets } from '../catalog/serving.ts'
import { NO_USAGE, type Usage } from '../inference/core/events.ts'
import type { ChargedTime, ModelUsage } from '../inference/core/ledger.ts'
import type { Clock } from '../ports.ts'
import { costOfCalls } from './cost-of-calls.ts'
import type { PriceBook } from './price-book.ts'

/** What a request may use. */
export interface ExpectedUse {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly media?: Usage['media'] | undefined
}

/** Computes what requests may cost and have cost, by the prices of their time. */
export interface SpendMeter {
  /** The cost of an expected use; undefined for a model without a price. */
  estimate(model: ModelConfig, expected: ExpectedUse): Cost | undefined
  /**
   * The cost of the use of some models; undefined when one of them has no price. A use with a time of
   * its own costs what its own usage record says.
   *
   * @param when.recorded the time in the usage record of the request, so that both costs are one @default now
   * @param when.startedAt monotonic milliseconds at the arrival of the request
   */
  charge(
    uses: readonly Pick<ModelUsage, 'model' | 'usage' | 'when'>[],
    when: { readonly recorded: ChargedTime | undefined; readonly startedAt: number },
  ): Cost | undefined
}

/** Dependencies of {@link createSpendMeter}. */
export interface SpendMeterOptions {
  readonly prices: PriceBook
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** Creates the meter over a book of prices. */
export function createSpendMeter({ prices, clock }: SpendMeterOptions): SpendMeter {
  return {
    estimate(model, { promptTokens, completionTokens, media }) {
      const usage = { ...NO_USAGE, promptTokens, completionTokens, media }
      const at = clock.now()
      // A group may be answered by the dearest of its targets.
      const models = [model, ...listFailoverTargets(model).map((target) => target.model)]
      const known = models.flatMap((each) => prices.costOf(each, { usage, durationMs: 0 }, at) ?? [])
      const micros = known.length === 0 ? undefined : Math.max(...known)
      const { currency } = prices
      return micros === undefined || currency === undefined ? undefined : { micros, currency }
    },
    charge(uses, { recorded, startedAt }) {
      const now = () => ({ durationMs: Math.max(0, clock.monotonic() - startedAt), at: clock.now() })
      const request = recorded ?? now()
      const costs = uses.map((use) => costOfCalls(prices, [use], use.when ?? request))
      const { currency } = prices
      if (currency === undefined || costs.some(({ unpriced }) => unpriced.length > 0)) return undefined
      return { micros: costs.reduce((sum, { knownMicros }) => sum + knownMicros, 0), currency }
    },
  }
}
