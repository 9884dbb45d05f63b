import type { ModelConfig } from '../catalog/model-config.ts'
import type { Usage } from '../inference/core/events.ts'
import type { PriceBook, PricedUse } from './price-book.ts'

/** The use of one model by the calls of a request. */
export interface CalledModel {
  readonly model: ModelConfig
  readonly usage: PricedUse['usage'] & Partial<Pick<Usage, 'promptMs' | 'generationMs'>>
}

/** What the calls of a request cost. */
export interface CallsCost {
  /** The models in the order that they were given in, each with its cost in micro-units; undefined is unknown. */
  readonly byModel: readonly { readonly model: ModelConfig; readonly costMicros: number | undefined }[]
  /** The sum in micro-units of the known costs. */
  readonly knownMicros: number
  /** Names of the models whose cost is unknown. */
  readonly unpriced: readonly string[]
}

/**
 * The cost of the calls of a request.
 *
 * @param durationMs length of the request, which counts as the time of a model whose server does not report its own
 * @param at milliseconds since the epoch
 */
export function costOfCalls(
  book: PriceBook,
  calls: readonly CalledModel[],
  { durationMs, at }: { readonly durationMs: number; readonly at: number },
): CallsCost {
  const byModel = calls.map(({ model, usage }) => {
    const workedMs = (usage.promptMs ?? 0) + (usage.generationMs ?? 0)
    const use = { usage, durationMs: workedMs > 0 ? workedMs : durationMs }
    return { model, costMicros: book.costOf(model, use, at) }
  })
  return {
    byModel,
    knownMicros: byModel.reduce((sum, { costMicros = 0 }) => sum + costMicros, 0),
    unpriced: byModel.flatMap(({ model, costMicros }) => (costMicros === undefined ? [model.name] : [])),
  }
}
