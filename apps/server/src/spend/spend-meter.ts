import type { Cost } from '@svc/auth/quotas'
import type { ModelConfig } from '../catalog/model-config.ts'
import { NO_USAGE, type Usage } from '../inference/core/events.ts'
import type { ModelUsage } from '../inference/core/ledger.ts'
import type { Clock } from '../ports.ts'
import type { PriceBook } from './price-book.ts'

/** What a request may use. */
export interface ExpectedUse {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly media?: Usage['media'] | undefined
}

/** Computes what requests may cost and have cost, by the prices at their arrival. */
export interface SpendMeter {
  /** The cost of an expected use; undefined for a model without a price. */
  estimate(model: ModelConfig, expected: ExpectedUse): Cost | undefined
  /**
   * The cost of the use of some models, whole millionths; undefined when one of them has no price.
   *
   * @param startedAt monotonic milliseconds at the arrival of the request
   */
  charge(uses: readonly Pick<ModelUsage, 'model' | 'usage'>[], startedAt: number): number | undefined
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
      const micros = prices.costOf(model, { usage, durationMs: 0 }, clock.now())
      const { currency } = prices
      return micros === undefined || currency === undefined ? undefined : { micros, currency }
    },
    charge(uses, startedAt) {
      const durationMs = Math.max(0, clock.monotonic() - startedAt)
      const at = clock.now() - durationMs
      let sum = 0
      for (const { model, usage } of uses) {
        const micros = prices.costOf(model, { usage, durationMs }, at)
        if (micros === undefined) return undefined
        sum += micros
      }
      return sum
    },
  }
}
