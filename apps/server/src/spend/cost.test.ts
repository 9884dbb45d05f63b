import { expect, it } from 'vitest'
import { costAt, MAX_COST_MICROS } from './cost.ts'
import { formatCost } from './format-cost.ts'
import { toPrice, type WrittenPrice } from './price.ts'
import type { PricedUse } from './price-book.ts'

const USD = { currency: 'USD', rates: new Map() }
const NOTHING = { promptTokens: 0, completionTokens: 0 }

function cost(written: WrittenPrice, usage: PricedUse['usage'], durationMs = 0): number | undefined {
  const price = toPrice(written, USD)
  if (price === undefined) throw new Error('no rate')
  return costAt(price, { usage, durationMs })
}

it.each<[string, WrittenPrice, PricedUse['usage'], number | undefined]>([
  ['a millionth of a millionth', { input: '0.000001' }, { ...NOTHING, promptTokens: 499_999 }, 0],
  ['half a micro-unit', { input: '0.000001' }, { ...NOTHING, promptTokens: 500_000 }, 1],
  [
    'more cached tokens than tokens',
    { input: '4', cachedInput: '1' },
    { ...NOTHING, promptTokens: 10, cachedTokens: 99 },
    10,
  ],
  [
    'more written tokens than are left',
    { input: '4', cachedInput: '1', cacheWrite: '5' },
    { ...NOTHING, promptTokens: 10, cachedTokens: 6, cacheWriteTokens: 99 },
    26,
  ],
  [
    'more thoughts than tokens',
    { output: '4', reasoning: '1' },
    { ...NOTHING, completionTokens: 3, reasoningTokens: 9 },
    3,
  ],
  ['figures that are no numbers', { input: '4' }, { ...NOTHING, promptTokens: Number.NaN, cachedTokens: -3 }, 0],
  ['an absurd figure', { input: '1000000' }, { ...NOTHING, promptTokens: 1e300 }, MAX_COST_MICROS],
  ['sound without a price', { input: '1' }, { ...NOTHING, media: { seconds: 2 } }, undefined],
  ['sound', { audioSecond: '0.0001' }, { ...NOTHING, media: { seconds: 12.345 } }, 1235],
  ['speech', { characters: '15' }, { ...NOTHING, media: { characters: 333 } }, 4995],
  ['images', { image: '0.04' }, { ...NOTHING, media: { images: 3 } }, 120_000],
  [
    'images beside tokens without a price',
    { image: '0.04' },
    { promptTokens: 1, completionTokens: 0, media: { images: 3 } },
    undefined,
  ],
  ['nothing that was used', { input: '4' }, NOTHING, 0],
  ['a price of requests only', { request: '0.002' }, { promptTokens: 7, completionTokens: 7 }, 2000],
  [
    'a price of requests beside others',
    { request: '0.002', input: '1' },
    { promptTokens: 7, completionTokens: 7 },
    undefined,
  ],
])('%s', (_what, written, usage, micros) => {
  expect(cost(written, usage)).toBe(micros)
})

it('a price of seconds covers everything without a price of its own', () => {
  const usage = { promptTokens: 7, completionTokens: 7, media: { images: 1 } }
  expect(cost({ computeSecond: '0.0002' }, usage, 1500)).toBe(300)
  expect(cost({ computeSecond: '0.0002', output: '10' }, usage, 1500)).toBe(370)
})

it('is exact where numbers with a point are not', () => {
  // 0.1 + 0.2, a million times
  expect(cost({ input: '0.1', output: '0.2' }, { promptTokens: 999_999_999, completionTokens: 999_999_999 })).toBe(
    300_000_000,
  )
})

it.each([
  [0, '0'],
  [1, '0.000001'],
  [1_500_000, '1.5'],
  [1_000_000, '1'],
  [MAX_COST_MICROS, '1000000'],
])('%i micro-units are %s', (micros, text) => {
  expect(formatCost(micros)).toBe(text)
})
