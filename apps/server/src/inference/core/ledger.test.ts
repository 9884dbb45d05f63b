import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { NO_USAGE } from './events.ts'
import { RequestLedger } from './ledger.ts'

const figures = (promptTokens: number, completionTokens: number) => ({ ...NO_USAGE, promptTokens, completionTokens })
const [m, one, two] = ['m', 'one', 'two'].map((name) => createModel({ name })) as [Model, Model, Model]
type Model = ReturnType<typeof createModel>

describe('the charge of a request', () => {
  it('is none without a record', () => {
    const ledger = new RequestLedger('m', m)
    ledger.open(m).count(figures(3, 0))
    expect(ledger.charge).toBeUndefined()
    expect(ledger.chargedUsage).toEqual([])
  })

  it('is that of the record and of the targets that failed', () => {
    const ledger = new RequestLedger('m', m)
    const first = ledger.open(one)
    first.count(figures(20, 1))
    expect(ledger.fail(first)).toMatchObject(figures(20, 1))
    expect(ledger.charge).toBe(21)
    ledger.open(two).count(figures(5, 2))
    ledger.isRecorded = true
    expect(ledger.charge).toBe(28)
    expect(ledger.chargedUsage.map(({ model, usage }) => [model.name, usage.promptTokens])).toEqual([
      ['two', 5],
      ['one', 20],
    ])
    // a second time changes nothing
    expect(ledger.fail(first)).toBe(NO_USAGE)
    expect(ledger.charge).toBe(28)
  })

  it('is that of no tokens for a target that failed after it had used media', () => {
    const ledger = new RequestLedger('m', m)
    const first = ledger.open(one)
    ledger.fail(first)
    expect(ledger.charge).toBeUndefined()
    const second = ledger.open(two)
    second.countMedia({ images: 1 })
    expect(ledger.fail(second)).toMatchObject({ media: { images: 1 } })
    expect(ledger.charge).toBe(0)
  })

  it('is that of no tokens for a recorded request without figures', () => {
    const ledger = new RequestLedger('m', m)
    ledger.isRecorded = true
    expect(ledger.charge).toBe(0)
  })
})

describe('several calls of a request', () => {
  it('add up, by model and in all', () => {
    const ledger = new RequestLedger('m', m)
    expect([ledger.usage, ledger.usageByModel]).toEqual([NO_USAGE, [{ model: m, usage: NO_USAGE, isEstimated: false }]])
    ledger.open(one).count({ ...figures(10, 1), cachedTokens: 4 })
    ledger.open(two).count(figures(20, 2))
    const third = ledger.open(one)
    third.count(figures(29, 3))
    third.count({ ...figures(30, 3), reasoningTokens: 2, promptMs: 5 })
    third.isEstimated = true
    expect(ledger.usage).toEqual({
      ...figures(60, 6),
      cachedTokens: 4,
      reasoningTokens: 2,
      promptMs: 5,
    })
    expect(ledger.usageByModel.map(({ model, usage, isEstimated }) => [model.name, usage, isEstimated])).toEqual([
      ['one', { ...figures(40, 4), cachedTokens: 4, reasoningTokens: 2, promptMs: 5 }, true],
      ['two', figures(20, 2), false],
    ])
    expect(ledger.tokens).toBe(66)
  })

  it('add up their media, by model and in all', () => {
    const ledger = new RequestLedger('m', m)
    ledger.open(one).countMedia({ seconds: 1.5 })
    const second = ledger.open(one)
    second.countMedia({ seconds: 9 })
    // a retry of the call begins anew
    second.countMedia({ seconds: 2, characters: 10 })
    ledger.open(two)
    expect(ledger.usage.media).toEqual({ seconds: 3.5, characters: 10 })
    expect(ledger.usageByModel.map(({ usage }) => usage.media)).toEqual([{ seconds: 3.5, characters: 10 }, undefined])
    expect(ledger.tokens).toBe(0)
  })

  it('are served by the model of the last one', () => {
    const ledger = new RequestLedger('m', m)
    expect(ledger.servedModel).toBe(m)
    ledger.open(one)
    const last = ledger.open(two)
    expect(ledger.servedModel).toBe(two)
    ledger.fail(last)
    expect(ledger.servedModel).toBe(one)
  })
})
