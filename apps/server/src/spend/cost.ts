import { DECIMAL_ONE } from '../catalog/keys/decimal.ts'
import type { Price, PricePart } from './price.ts'
import type { PricedUse } from './price-book.ts'

/** Largest cost of a request: a million units of the currency. Sums of costs stay exact numbers. */
export const MAX_COST_MICROS = 1_000_000_000_000

/** Most of anything that a request uses, whatever a server says. */
const MAX_FIGURE = 1_000_000_000

/** Micro-units of a unit. */
const MICROS = 1_000_000n

/** Number of a thing that was used, and the parts of a price that may have it, the most exact first. */
interface UsedThing {
  readonly amount: number
  readonly parts: readonly PricePart[]
  /** Millionths of the thing for which a price is. */
  readonly scale: bigint
}

const clean = (amount: number | undefined, most = MAX_FIGURE): number =>
  amount === undefined || Number.isNaN(amount) ? 0 : Math.min(Math.max(0, Math.ceil(amount)), most)

/** Everything that was used. Figures of a part never exceed the whole. */
function listUsed({ usage, durationMs }: PricedUse): readonly UsedThing[] {
  const prompt = clean(usage.promptTokens)
  const cached = clean(usage.cachedTokens, prompt)
  const written = clean(usage.cacheWriteTokens, prompt - cached)
  const completion = clean(usage.completionTokens)
  const reasoning = clean(usage.reasoningTokens, completion)
  const { images, seconds = 0, characters } = usage.media ?? {}
  return [
    { amount: prompt - cached - written, parts: ['input'], scale: 1n },
    { amount: cached, parts: ['cachedInput', 'input'], scale: 1n },
    { amount: written, parts: ['cacheWrite', 'input'], scale: 1n },
    { amount: completion - reasoning, parts: ['output'], scale: 1n },
    { amount: reasoning, parts: ['reasoning', 'output'], scale: 1n },
    { amount: clean(characters), parts: ['characters'], scale: 1n },
    { amount: clean(images), parts: ['image'], scale: MICROS },
    // Sound and time are counted in whole milliseconds.
    { amount: clean(Math.round(seconds * 1000)), parts: ['audioSecond'], scale: 1000n },
    { amount: clean(Math.round(durationMs)), parts: ['computeSecond'], scale: 1000n },
    { amount: 1, parts: ['request'], scale: MICROS },
  ]
}

/** Parts that a price may leave out for a thing that every request uses. */
const OPTIONAL: ReadonlySet<PricePart> = new Set(['computeSecond', 'request'])

/** Whether the price is for requests as a whole, so that nothing in them needs a price of its own. */
function isForAll({ parts }: Price): boolean {
  if (parts.computeSecond !== undefined) return true
  const names = Object.keys(parts)
  return names.length === 1 && parts.request !== undefined
}

/**
 * The cost of a use by a price: exact until it is rounded once, half up, to whole micro-units.
 *
 * @returns undefined when something was used that the price does not cover
 */
export function costAt(price: Price, use: PricedUse): number | undefined {
  const coversAll = isForAll(price)
  let sum = 0n
  for (const { amount, parts, scale } of listUsed(use)) {
    if (amount === 0) continue
    const part = parts.find((name) => price.parts[name] !== undefined)
    const each = part === undefined ? undefined : price.parts[part]
    if (each !== undefined) sum += BigInt(amount) * each * scale
    else if (!coversAll && !parts.some((name) => OPTIONAL.has(name))) return undefined
  }
  const divisor = DECIMAL_ONE * DECIMAL_ONE
  const micros = (sum * price.rate * 2n + divisor) / (divisor * 2n)
  return micros > BigInt(MAX_COST_MICROS) ? MAX_COST_MICROS : Number(micros)
}
