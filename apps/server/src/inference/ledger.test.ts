import { describe, expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import { NO_USAGE } from './events.ts'
import { RequestLedger } from './ledger.ts'

const figures = (promptTokens: number, completionTokens: number) => ({ ...NO_USAGE, promptTokens, completionTokens })

it('charges nothing for a request that left no record', () => {
  const ledger = new RequestLedger('m', createModel({ name: 'm' }))
  ledger.count(figures(3, 0))
  expect(ledger.charge).toBeUndefined()
})

it('charges the figures of the record and of the targets that failed', () => {
  const ledger = new RequestLedger('m', createModel({ name: 'm' }))
  ledger.beginAttempt(createModel({ name: 'one' }))
  ledger.count(figures(20, 1))
  ledger.failAttempt()
  expect(ledger.charge).toBe(21)
  ledger.beginAttempt(createModel({ name: 'two' }))
  ledger.count(figures(5, 2))
  ledger.isRecorded = true
  expect(ledger.charge).toBe(28)
})

it('charges a recorded request without figures as a request of no tokens', () => {
  const ledger = new RequestLedger('m', createModel({ name: 'm' }))
  ledger.isRecorded = true
  expect(ledger.charge).toBe(0)
})

describe('figures that a server of the model leaves out', () => {
  interface Case {
    readonly figures?: readonly [prompt: number, completion: number, cached?: number] | undefined
    /** Bytes of the answer before the figures, and behind them. */
    readonly before?: number | undefined
    readonly behind?: number | undefined
  }

  it.each<[string, Case, [prompt: number, completion: number, isEstimated: boolean]]>([
    ['none at all', { behind: 9 }, [20, 3, true]],
    ['none, without an answer', {}, [20, 0, true]],
    ['none of the prompt', { figures: [0, 7], before: 9 }, [20, 7, true]],
    ['none of the answer', { figures: [50, 0], before: 9, behind: 4 }, [50, 4, true]],
    ['none of the end of the answer', { figures: [50, 7], before: 40, behind: 5 }, [50, 9, true]],
    ['none of an empty answer', { figures: [50, 0] }, [50, 0, false]],
    ['nothing', { figures: [50, 7], before: 40 }, [50, 7, false]],
    ['nothing of a hidden answer', { figures: [50, 7] }, [50, 7, false]],
  ])('are estimated: %s', (_, { figures: given, before = 0, behind = 0 }, expected) => {
    const ledger = new RequestLedger('m', createModel({ name: 'm' }))
    ledger.noteAnswer(before)
    if (given !== undefined) ledger.count(figures(given[0], given[1]))
    ledger.noteAnswer(behind)
    // A second time changes nothing.
    for (let time = 0; time < 2; time += 1) ledger.estimateMissing(() => 20)
    const { usage, isEstimated } = ledger
    expect([usage.promptTokens, usage.completionTokens, isEstimated]).toEqual(expected)
  })

  it('are those behind the last figures, of running totals', () => {
    const ledger = new RequestLedger('m', createModel({ name: 'm' }))
    ledger.count({ ...figures(5, 1), cachedTokens: 4 })
    ledger.noteAnswer(4)
    ledger.count({ ...figures(5, 2), cachedTokens: 4 })
    ledger.noteAnswer(4)
    // The same figures again, at the end: they cover no more than before.
    ledger.count({ ...figures(5, 2), cachedTokens: 4 })
    ledger.count(NO_USAGE)
    ledger.estimateMissing(() => 20)
    expect(ledger.usage).toMatchObject({ promptTokens: 5, completionTokens: 3, cachedTokens: 4 })
  })

  it('of a failed target are not those of the next one', () => {
    const ledger = new RequestLedger('m', createModel({ name: 'm' }))
    ledger.noteAnswer(400)
    ledger.failAttempt()
    ledger.estimateMissing(() => 20)
    expect(ledger.usage).toMatchObject({ promptTokens: 20, completionTokens: 0 })
  })
})
