import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { ModelConfig } from '../catalog/model-config.ts'
import { NO_USAGE } from '../inference/core/events.ts'
import { RequestLedger } from '../inference/core/ledger.ts'
import { createTargetStates } from './target-states.ts'

const MODEL = { name: 'm', serving: { kind: 'backend' } } as ModelConfig
const TARGET = { ...MODEL, name: 't' }

function createWorld() {
  const clock = createFakeClock()
  const states = createTargetStates({ clock })
  /** A request that was asked now, and its account. */
  const ask = (served = MODEL) => {
    const ledger = new RequestLedger('auto', MODEL)
    ledger.askedAt = clock.monotonic()
    return { ledger, account: ledger.open(served) }
  }
  const fail = (thrown: unknown) => states.observe(ask().ledger, thrown)
  return { clock, states, ask, fail }
}

const DOWN = new SvcError('unavailable', 'the upstream is down', { code: 'upstream_down' })

describe('health', () => {
  it('a model is ill after three failures in a row, and is tried again after 30 seconds', async () => {
    const { clock, states, ask, fail } = createWorld()
    expect(states.isHealthy('m')).toBeUndefined()
    fail(DOWN)
    fail(DOWN)
    expect(states.isHealthy('m')).toBe(true)
    fail(DOWN)
    expect(states.isHealthy('m')).toBe(false)
    await clock.advance(29_999)
    expect(states.isHealthy('m')).toBe(false)
    await clock.advance(1)
    expect(states.isHealthy('m')).toBe(true)
    fail(DOWN)
    expect(states.isHealthy('m')).toBe(false)
    states.observe(ask().ledger, undefined)
    expect(states.isHealthy('m')).toBe(true)
    fail(DOWN)
    expect(states.isHealthy('m')).toBe(true)
  })

  it('refusals, limits and clients that leave say nothing about a model', () => {
    const { states, fail } = createWorld()
    for (let round = 0; round < 5; round++) {
      fail(new SvcError('invalid_request', 'x', { code: 'x' }))
      fail(new SvcError('cancelled', 'x', { code: 'x' }))
      fail(new SvcError('unavailable', 'full', { code: 'admission_rejected' }))
    }
    expect(states.isHealthy('m')).toBeUndefined()
  })

  it('a request that never reached its model says nothing about it', () => {
    const { states } = createWorld()
    for (let round = 0; round < 5; round++) {
      states.observe(new RequestLedger('auto', MODEL), DOWN)
      states.observe(undefined, DOWN)
    }
    expect(states.isHealthy('m')).toBeUndefined()
  })
})

describe('speed', () => {
  it('is measured from the first token on, for the group and the target that served', async () => {
    const { clock, states, ask } = createWorld()
    const { ledger, account } = ask(TARGET)
    await clock.advance(200)
    ledger.firstTokenAt = clock.monotonic()
    await clock.advance(2_000)
    account.count({ ...NO_USAGE, promptTokens: 5, completionTokens: 100 })
    states.observe(ledger, undefined)
    for (const name of ['m', 't']) {
      expect(states.latencies.find(name)).toMatchObject({ firstTokenMs: 200, tokensPerSecond: 50 })
    }
  })

  it('of a relayed reply is that of the whole answer', async () => {
    const { clock, states, ask } = createWorld()
    const { ledger, account } = ask()
    await clock.advance(4_000)
    account.count({ ...NO_USAGE, promptTokens: 5, completionTokens: 100 })
    states.observe(ledger, undefined)
    expect(states.latencies.find('m')).toMatchObject({ firstTokenMs: undefined, tokensPerSecond: 25 })
  })

  it('is not taken from failures, short answers and answers of several calls', async () => {
    const { clock, states, ask } = createWorld()
    const failed = ask()
    const short = ask()
    const long = ask()
    await clock.advance(1_000)
    failed.account.count({ ...NO_USAGE, completionTokens: 100 })
    states.observe(failed.ledger, DOWN)
    short.account.count({ ...NO_USAGE, completionTokens: 7 })
    states.observe(short.ledger, undefined)
    long.account.count({ ...NO_USAGE, completionTokens: 100 })
    long.ledger.open(MODEL)
    states.observe(long.ledger, undefined)
    expect(states.latencies.find('m')).toBeUndefined()
  })
})
