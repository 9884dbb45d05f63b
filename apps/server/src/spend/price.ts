import { DECIMAL_ONE, readDecimal } from '../catalog/keys/decimal.ts'
import type { Block } from '../catalog/keys/fields.ts'
import { type PRICE, readStart } from '../catalog/keys/price-keys.ts'

/** The currency of costs where no price list says another. */
export const DEFAULT_CURRENCY = 'USD'

/** A price as a file has it: decimal numbers as text. */
export type WrittenPrice = Block<typeof PRICE>

/** Names of the parts of a price. */
export const PRICE_PARTS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'output',
  'reasoning',
  'image',
  'audioSecond',
  'characters',
  'request',
  'computeSecond',
] as const satisfies readonly (keyof WrittenPrice)[]

/** A part of a price. */
export type PricePart = (typeof PRICE_PARTS)[number]

/** A price from a time on. Amounts are in units of 10^-12. */
export interface Price {
  /** Milliseconds since the epoch; -Infinity for a price without a date. */
  readonly from: number
  readonly parts: Readonly<Partial<Record<PricePart, bigint>>>
  /** Worth of a unit of its currency in the currency of all costs. */
  readonly rate: bigint
  readonly written: WrittenPrice
}

/** The currency of all costs, and what others are worth in it. */
export interface Currencies {
  readonly currency: string
  /** Units of 10^-12 of `currency`. */
  readonly rates: ReadonlyMap<string, bigint>
}

/** Gives a price in the currency of all costs; undefined where the price has a currency without a rate. */
export function toPrice(written: WrittenPrice, { currency, rates }: Currencies): Price | undefined {
  const own = written.currency ?? currency
  const rate = own === currency ? DECIMAL_ONE : rates.get(own)
  if (rate === undefined) return undefined
  const parts = PRICE_PARTS.flatMap((part) => {
    const value = readDecimal(written[part] ?? '')
    return typeof value === 'bigint' ? [[part, value] as const] : []
  })
  return { from: toStart(written), parts: Object.fromEntries(parts), rate, written }
}

/** The time from which a price holds. */
export function toStart({ from }: Pick<WrittenPrice, 'from'>): number {
  return (from === undefined ? undefined : readStart(from)) ?? Number.NEGATIVE_INFINITY
}

/** Whether a price says anything about a cost. */
export function hasParts(written: WrittenPrice): boolean {
  return PRICE_PARTS.some((part) => written[part] !== undefined)
}

/** Prices newest first. */
export function newestFirst<T extends Pick<Price, 'from'>>(prices: readonly T[]): readonly T[] {
  return [...prices].sort((left, right) => (left.from === right.from ? 0 : right.from > left.from ? 1 : -1))
}
