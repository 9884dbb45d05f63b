import { expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { RequestLedger } from '../inference/core/ledger.ts'
import type { PriceBook } from './price-book.ts'
import { createSpendMeter } from './spend-meter.ts'

const PRICES: Readonly<Record<string, number>> = { cheap: 2, dear: 7 }
const prices: PriceBook = {
  currency: 'USD',
  costOf: ({ name }, { usage }) => {
    const price = PRICES[name]
    return price === undefined ? undefined : price * usage.promptTokens
  },
}
const clock = { now: () => 0, monotonic: () => 0 }
const meter = createSpendMeter({ prices, clock })
const use = { promptTokens: 10, completionTokens: 0 }

function group(...names: readonly string[]): ModelConfig {
  const targets = names.map((name) => ({ name, model: createModel({ name }) }))
  return createModel({ name: 'group', serving: { kind: 'failover', targets } })
}

it('a group is expected to cost as much as its dearest target with a price', () => {
  expect(meter.estimate(group('cheap', 'dear', 'free'), use)).toEqual({ micros: 70, currency: 'USD' })
  expect(meter.estimate(group('free'), use)).toBeUndefined()
  expect(meter.estimate(createModel({ name: 'cheap' }), use)).toEqual({ micros: 20, currency: 'USD' })
})

it('calls of a model without a price have no known cost', () => {
  const when = { recorded: undefined, startedAt: 0 }
  const call = (name: string) => ({
    model: createModel({ name }),
    usage: { promptTokens: 1, completionTokens: 0, promptMs: 0, generationMs: 0 },
  })
  expect(meter.charge([call('cheap'), call('dear')], when)).toEqual({ micros: 9, currency: 'USD' })
  expect(meter.charge([call('cheap'), call('free')], when)).toBeUndefined()
})

it('a failed target costs the time of its own attempt, by the prices of then', () => {
  const timed: PriceBook = { currency: 'USD', costOf: (_, { durationMs }, at) => durationMs + at }
  const byTime = createSpendMeter({ prices: timed, clock })
  const ledger = new RequestLedger('m', createModel({ name: 'm' }))
  const failed = ledger.open(createModel({ name: 'one' }))
  failed.countMedia({ images: 1 })
  ledger.fail(failed, { durationMs: 20, at: 3000 })
  ledger.open(createModel({ name: 'two' })).countMedia({ images: 1 })
  ledger.isRecorded = true
  const when = { recorded: { durationMs: 500, at: 7000 }, startedAt: 0 }
  expect(byTime.charge(ledger.chargedUsage, when)).toEqual({ micros: 7500 + 3020, currency: 'USD' })
})
