import { describe, expect, it } from 'vitest'
import { parseModelFile } from '../catalog/config-file.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { costOfCalls } from './cost-of-calls.ts'
import { createPriceBook } from './open-price-book.ts'
import { readPriceList } from './price-list.ts'

const NOW = Date.UTC(2026, 5, 1)
const USE = { usage: { promptTokens: 1, completionTokens: 0 }, durationMs: 0 }

function model(yaml: string): ModelConfig {
  const [found] = parseModelFile(yaml, { file: 'm.yaml', folder: '/models', modifiedAt: 0 }).models
  if (found === undefined) throw new Error('no model')
  return found
}

const cloud = (name: string, rest = ''): ModelConfig =>
  model(
    `{ name: ${name}, backend: cloud-proxy, proxy: { upstream_url: "https://api.example.org:8443/v1", provider: anthropic }${rest} }`,
  )

function book(prices: string, models: readonly ModelConfig[] = []) {
  const reading = readPriceList(prices)
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return createPriceBook({ list: () => reading.list, models: () => models })
}

describe('the price of a model', () => {
  /** Every price for the model, the one that holds first. */
  const LADDER = [
    '{ model: big-one, upstream: "api.example.org:8443", input: 1 }',
    '{ model: big-one, upstream: api.example.org, input: 2 }',
    '{ model: big-one, upstream: provider_b, input: 3 }',
    '{ model: big-one, input: 4 }',
    '{ model: "big-*", upstream: api.example.org, input: 5 }',
    '{ model: "b*", upstream: api.example.org, input: 6 }',
    '{ model: "*-one", input: 7 }',
    '{ model: "*g*", input: 8 }',
    '{ upstream: anthropic, input: 9 }',
  ]

  it('is the most exact one', () => {
    for (const [index] of LADDER.entries()) {
      const rest = LADDER.slice(index).toReversed()
      const others = ['{ model: big, input: 99 }', '{ model: big-one, upstream: other.example, input: 99 }']
      const prices = `prices: [${[...others, ...rest].join(', ')}]`
      expect(book(prices).costOf(cloud('big-one'), USE, NOW)).toBe(index + 1)
    }
  })

  it('of its own file comes first', () => {
    const own = cloud('big-one', ', pricing: { input: 42 }')
    expect(book(`prices: [${LADDER.join(', ')}]`).costOf(own, USE, NOW)).toBe(42)
  })

  it('is the newest that has begun, and a less exact one before the first', () => {
    const prices = book(`prices:
  - { model: m, from: 2026-02-01, input: 2 }
  - { model: m, from: 2026-07-01, input: 3 }
  - { model: m, from: 2026-01-01T12:00:00Z, input: 1 }
  - { model: "*", input: 9 }`)
    const m = model('{ name: m, backend: llama }')
    const at = (time: string): number | undefined => prices.costOf(m, USE, Date.parse(time))
    expect([
      at('2026-01-01T11:59:59Z'),
      at('2026-01-01T12:00:00Z'),
      at('2026-02-01'),
      at('2026-06-30T23:59:59Z'),
    ]).toEqual([9, 1, 2, 2])
    expect(at('2027-01-01')).toBe(3)
  })

  it('is unknown in a currency without a rate, although the list has another price', () => {
    const own = cloud('m', ', pricing: { input: 42, currency: EUR }')
    expect(book('prices: [{ model: m, input: 1 }]').costOf(own, USE, NOW)).toBeUndefined()
    expect(book('rates: { EUR: 2 }').costOf(own, USE, NOW)).toBe(84)
  })
})

it('a book has a currency with a list, or with a price of a model', () => {
  let models: ModelConfig[] = []
  const empty = createPriceBook({ list: () => undefined, models: () => models })
  expect(empty.currency).toBeUndefined()
  models = [model('{ name: m, backend: llama, pricing: { input: 1 } }')]
  empty.refresh()
  expect(empty.currency).toBe('USD')
  expect(book('currency: CHF').currency).toBe('CHF')
})

it('the calls of a request have costs of their own, and unknown ones are named', () => {
  const prices = book('prices: [{ model: a, compute_second: 1 }, { model: b, input: 1 }]')
  const usage = { promptTokens: 3, completionTokens: 0 }
  const calls = [
    { model: model('{ name: a, backend: llama }'), usage: { ...usage, promptMs: 1, generationMs: 2 } },
    { model: model('{ name: a, backend: llama }'), usage },
    { model: model('{ name: b, backend: llama }'), usage },
    { model: model('{ name: c, backend: llama }'), usage },
  ]
  expect(costOfCalls(prices, calls, { durationMs: 5, at: NOW })).toEqual({
    costs: [3000, 5000, 3, undefined],
    knownMicros: 8003,
    unpriced: ['c'],
  })
})
