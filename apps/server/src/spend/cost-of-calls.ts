import type { ModelConfig } from '../catalog/model-config.ts'
import type { PriceBook, PricedUse } from './price-book.ts'

/** The use of one model by the calls of a request. */
export interface CalledModel {
  readonly model: ModelConfig
  readonly usage: PricedUse['usage'] & {
    /** Milliseconds as the server of the model reports them. */
    readonly promptMs?: number | undefined
    readonly generationMs?: number | undefined
  }
}

/** The costs of the calls of a request. */
export interface CallsCost {
  /** The cost of each model in micro-units, in the order that the models were given in; undefined is unknown. */
  readonly costs: readonly (number | undefined)[]
  /** The sum in micro-units of the known costs. */
  readonly knownMicros: number
  /** Names of the models whose cost is unknown. */
  readonly unpriced: readonly string[]
}

/**
 * The cost of the calls of a request.
 *
 * @param when.durationMs length of the request, which counts as the time of a model whose server does not report its own
 * @param when.at milliseconds since the epoch
 */
export function costOfCalls(
  book: PriceBook,
  calls: readonly CalledModel[],
  { durationMs, at }: { readonly durationMs: number; readonly at: number },
): CallsCost {
  const costs = calls.map(({ model, usage }) => {
    const workedMs = (usage.promptMs ?? 0) + (usage.generationMs ?? 0)
    return book.costOf(model, { usage, durationMs: workedMs > 0 ? workedMs : durationMs }, at)
  })
  return {
    costs,
    knownMicros: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    unpriced: calls.flatMap(({ model }, index) => (costs[index] === undefined ? [model.name] : [])),
  }
}
