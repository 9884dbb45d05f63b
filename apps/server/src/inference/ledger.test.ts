import { expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import { NO_USAGE } from './events.ts'
import { RequestLedger } from './ledger.ts'

const figures = (promptTokens: number, completionTokens: number) => ({ ...NO_USAGE, promptTokens, completionTokens })

it('charges nothing for a request that left no record', () => {
  const ledger = new RequestLedger('m', createModel({ name: 'm' }))
  ledger.usage = figures(3, 0)
  expect(ledger.charge).toBeUndefined()
})

it('charges the figures of the record and of the targets that failed', () => {
  const ledger = new RequestLedger('m', createModel({ name: 'm' }))
  ledger.beginAttempt(createModel({ name: 'one' }))
  ledger.usage = figures(20, 1)
  ledger.failAttempt()
  expect(ledger.charge).toBe(21)
  ledger.beginAttempt(createModel({ name: 'two' }))
  ledger.usage = figures(5, 2)
  ledger.isRecorded = true
  expect(ledger.charge).toBe(28)
})

it('charges a recorded request without figures as a request of no tokens', () => {
  const ledger = new RequestLedger('m', createModel({ name: 'm' }))
  ledger.isRecorded = true
  expect(ledger.charge).toBe(0)
})
