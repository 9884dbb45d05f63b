import { toCamelCase } from '../catalog/keys/fields.ts'
import { PRICE } from '../catalog/keys/price-keys.ts'
import type { WrittenPrice } from './price.ts'

/** Keys of a price in the order in which they are written. */
const KEYS = ['model', 'upstream', ...Object.keys(PRICE)]
const TEXT_KEYS: ReadonlySet<string> = new Set(['model', 'upstream', 'from', 'currency'])

type Scalar = string | number

/** A price list with the keys of its file. */
export interface PlainPriceList {
  readonly currency?: string | undefined
  readonly rates?: Readonly<Record<string, Scalar>> | undefined
  readonly prices: readonly Readonly<Record<string, Scalar | undefined>>[]
}

/** A price with the keys of its file. */
export function toPlainPrice(written: WrittenPrice): Record<string, string> {
  const values: Readonly<Record<string, string | undefined>> = { ...written }
  return Object.fromEntries(
    KEYS.flatMap((key) => {
      const value = values[toCamelCase(key)]
      return value === undefined ? [] : [[key, value]]
    }),
  )
}

/** The text of a price list. Its values are not checked: the reader of the file does that. */
export function formatPriceList({ currency, rates = {}, prices }: PlainPriceList): string {
  const lines = currency === undefined ? [] : [`currency: ${quote(currency)}`]
  const worth = Object.entries(rates)
  if (worth.length > 0) lines.push('rates:', ...worth.map(([code, rate]) => `  ${quote(code)}: ${quote(rate)}`))
  lines.push(prices.length === 0 ? 'prices: []' : 'prices:')
  for (const price of prices) {
    const given = KEYS.flatMap((key) => {
      const value = price[key]
      return value === undefined ? [] : [`${key}: ${TEXT_KEYS.has(key) ? quote(value) : toScalar(value)}`]
    })
    lines.push(...given.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`))
    if (given.length === 0) lines.push('  - {}')
  }
  return `${lines.join('\n')}\n`
}

/** JSON text is YAML, too. */
const quote = (value: Scalar): string => JSON.stringify(String(value))

/** A number without quotes; anything else is a fault that the reader names. */
const toScalar = (value: Scalar): string => (/^[0-9][0-9.eE+-]*$/.test(String(value)) ? String(value) : quote(value))
