import { describe, expect, it } from 'vitest'
import { readDecimal } from '../catalog/keys/decimal.ts'
import { readStart } from '../catalog/keys/price-keys.ts'
import { readPriceList } from './price-list.ts'

describe('a decimal number', () => {
  it.each([
    ['0', 0n],
    ['2.5', 2_500_000_000_000n],
    ['0.000000000001', 1n],
    ['1e-12', 1n],
    ['1.5E3', 1_500_000_000_000_000n],
    ['1000000', 1_000_000_000_000_000_000n],
    ['0.1000000000000', 100_000_000_000n],
  ])('%s is read exactly', (text, value) => {
    expect(readDecimal(text)).toBe(value)
  })

  it.each(['-1', '', '.5', '1.', '0x10', '1_000', 'NaN', '.inf', '0.0000000000001', '1e-13', '1000000.1', '1e99'])(
    '%j is refused',
    (text) => {
      expect(readDecimal(text)).toEqual(expect.stringMatching(/^must /))
    },
  )
})

it.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:00+02:00', Date.UTC(2026, 0, 31, 10)],
  ['2026-02-30', undefined],
  ['2026-13-01', undefined],
  ['31.1.2026', undefined],
  ['2026-01-31T12:00:00', undefined],
])('%s begins at its time in UTC', (text, time) => {
  expect(readStart(text)).toBe(time)
})

describe('a price list', () => {
  it('has prices with the lines that they are from', () => {
    const reading = readPriceList(`
currency: CHF
rates: { EUR: 0.95 }
prices:
  - model: gpt-4o
    upstream: API.openai.com
    from: 2026-01-01
    currency: EUR
    input: 2.5
    output: "10"
  - { upstream: provider_b, output: 1 }
`)
    if (!reading.ok) throw new Error(JSON.stringify(reading))
    expect(reading.list.currency).toBe('CHF')
    expect(reading.list.entries).toMatchObject([
      {
        model: 'gpt-4o',
        upstream: 'api.openai.com',
        from: Date.UTC(2026, 0, 1),
        line: 5,
        rate: 950_000_000_000n,
        parts: { input: 2_500_000_000_000n, output: 10_000_000_000_000n },
      },
      { model: undefined, upstream: 'provider_b', from: Number.NEGATIVE_INFINITY, line: 11 },
    ])
  })

  it.each(['', '# nothing yet\n', 'prices: []', 'prices:\n'])('may be empty: %j', (text) => {
    expect(readPriceList(text)).toMatchObject({ ok: true, list: { currency: 'USD', entries: [] } })
  })

  it.each([
    ['prices:\n  - { model: m, input: -1 }', 'prices[0].input', /decimal number/],
    ['prices:\n  - { model: m, input: [1] }', 'prices[0].input', /found a list/],
    ['prices:\n  - { model: m, inptu: 1 }', 'prices[0].inptu', /unknown key/],
    ['currencies: USD', 'currencies', /unknown key/],
    ['currency: dollars', 'currency', /three capitals/],
    ['prices:\n  - { input: 1 }', 'prices[0]', /neither a model nor an upstream/],
    ['prices:\n  - { model: m }', 'prices[0]', /has no price/],
    ['prices:\n  - { model: a*b, input: 1 }', 'prices[0].model', /at its start and its end/],
    ['prices:\n  - { model: m, from: soon, input: 1 }', 'prices[0].from', /must be a date/],
    ['prices:\n  - { model: m, currency: EUR, input: 1 }', 'prices[0].currency', /has no rate/],
    ['rates: { USD: 1 }', 'rates.USD', /is the currency of all costs/],
    ['rates: { EUR: 0 }', 'rates.EUR', /more than 0/],
    ['rates: { euro: 2 }', 'rates.euro', /three capitals/],
    ['prices:\n  - ~', 'prices[0]', /must be a map/],
  ])('with a fault is refused with its place: %j', (text, key, reason) => {
    const reading = readPriceList(text)
    expect(reading).toMatchObject({ ok: false, problems: [{ key, reason: expect.stringMatching(reason) }] })
  })

  it('that is not YAML is refused', () => {
    expect(readPriceList('prices: [')).toMatchObject({
      ok: false,
      problems: [{ reason: expect.stringContaining(']') }],
    })
  })

  it('names both lines of a price that is there twice', () => {
    const reading = readPriceList(
      'prices:\n  - { model: m, from: 2026-01-01, input: 1 }\n  - { model: m, input: 1 }\n  - { model: m, from: "2026-01-01T00:00:00Z", input: 2 }',
    )
    expect(reading).toEqual({
      ok: false,
      problems: [{ line: 4, key: 'prices[2]', reason: 'is the same model, upstream and from as the price of line 2' }],
    })
  })
})
