import type { PriceListReply } from '@svc/wire/native'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { servesRequests } from '../../../catalog/serving.ts'
import type { OpenPrices } from '../../../spend/prices.ts'
import { toPlainPrice } from '../../../spend/write-price-list.ts'

/** The price list in use, with the price that each model has now. */
export function describePrices(
  { book, file }: OpenPrices,
  { models, now }: { readonly models: readonly ModelConfig[]; readonly now: number },
): PriceListReply {
  const { list, problems } = file
  const { currency } = book
  const known = models.filter(hasUse).map((model) => ({ model: model.name, found: book.findPrice(model, now) }))
  return {
    ...(currency === undefined ? {} : { currency }),
    rates: { ...list?.written.rates },
    prices: (list?.entries ?? []).map(({ written, line }) => ({ ...toPlainPrice(written), line })),
    models: known.flatMap(({ model, found }) => {
      if (found === undefined) return []
      const line = found.entry === undefined ? {} : { line: found.entry.line }
      return [{ model, origin: found.origin, ...line, price: toPlainPrice(found.price.written) }]
    }),
    unpriced: known.flatMap(({ model, found }) => (found === undefined ? [model] : [])),
    problems: problems.map(({ line, key, reason }) => ({
      ...(line === undefined ? {} : { line }),
      ...(key === undefined ? {} : { key }),
      message: reason,
    })),
  }
}

/** Whether requests are recorded under the name of a model: aliases, groups and routers have others serve. */
function hasUse(model: ModelConfig): boolean {
  const { kind } = model.serving
  return model.alias === undefined && kind !== 'failover' && kind !== 'router' && servesRequests(model)
}
