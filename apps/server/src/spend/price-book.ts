import type { ModelConfig } from '../catalog/model-config.ts'
import type { Usage } from '../inference/core/events.ts'

/** What a request has used of one model, or is expected to use. */
export interface PricedUse {
  readonly usage: Pick<
    Usage,
    'promptTokens' | 'completionTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens' | 'media'
  >
  /** Time for which the model worked, milliseconds. */
  readonly durationMs: number
}

/** The prices of models. */
export interface PriceBook {
  /** ISO 4217 code of all costs; undefined while no price is known at all. */
  readonly currency: string | undefined
  /**
   * The cost of a use by the prices that are valid at a time.
   *
   * @param at milliseconds since the epoch
   * @returns whole millionths of {@link currency}, 0 or more; undefined for a model without a price
   */
  costOf(model: ModelConfig, use: PricedUse, at: number): number | undefined
}

/** A book without prices. */
export const NO_PRICES: PriceBook = { currency: undefined, costOf: () => undefined }
