import type { components } from '../../lib/schema.gen.ts'
import type { Price } from './api.ts'

type PriceListReply = components['schemas']['PriceListReply']
type PriceListRequest = components['schemas']['PriceListRequest']

/** Parts of a price, in the order of the form. */
export const PRICE_PARTS = [
  'input',
  'cached_input',
  'cache_write',
  'output',
  'reasoning',
  'image',
  'audio_second',
  'characters',
  'request',
  'compute_second',
] as const

/** The list with other prices. */
export function toRequest(
  { currency, rates }: Pick<PriceListReply, 'currency' | 'rates'>,
  prices: readonly Price[],
): PriceListRequest {
  return { ...(currency === undefined ? {} : { currency }), rates, prices: [...prices] }
}

const TEXTS = ['model', 'upstream', 'from', 'currency'] as const

/** Fields of the form of a price. */
export const PRICE_FIELDS = [...TEXTS, ...PRICE_PARTS] as const

/** Values of the form of a price, as they were typed. */
export type PriceValues = Readonly<Partial<Record<(typeof PRICE_FIELDS)[number], string>>>

/** The price of a form: empty fields are left out, and a comma is a point. */
export function readPrice(values: PriceValues): Price {
  return Object.fromEntries(
    PRICE_FIELDS.flatMap((field) => {
      const value = values[field]?.trim() ?? ''
      if (value === '') return []
      const isNumber = PRICE_PARTS.some((part) => part === field)
      return [[field, isNumber ? value.replace(',', '.') : value]]
    }),
  )
}
