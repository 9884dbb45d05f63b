import { expect, it } from 'vitest'
import { readPrice, toRequest } from './price-list.ts'

it('a price has the fields that are filled in, with a point', () => {
  expect(readPrice({ model: ' m ', upstream: '', from: '2026-01-31', input: '2,5', output: '0' })).toEqual({
    model: 'm',
    from: '2026-01-31',
    input: '2.5',
    output: '0',
  })
})

it('a list keeps its currency and rates', () => {
  expect(toRequest({ currency: 'CHF', rates: { EUR: '0.95' } }, [{ model: 'm', input: '1' }])).toEqual({
    currency: 'CHF',
    rates: { EUR: '0.95' },
    prices: [{ model: 'm', input: '1' }],
  })
})
