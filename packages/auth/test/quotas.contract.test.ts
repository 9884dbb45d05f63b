import { createRevocations, type Principal } from '@svc/auth'
import { createMemoryStores } from '@svc/auth/memory'
import type { QuotaRule, QuotaStore, Stores } from '@svc/auth/ports'
import { createQuotas } from '@svc/auth/quotas'
import { SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createLocalPrincipal } from '../src/principal.ts'
import { systemClock } from '../src/system-clock.ts'
import { listPlaces } from './places.ts'
import { call } from './world.ts'

const places = await listPlaces()
const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000

function caller(quotas: readonly QuotaRule[]): Principal {
  return { ...createLocalPrincipal(), kind: 'user', id: 'ada', role: 'user', quotas }
}

function createWorld(stores: Stores) {
  const clock = {
    time: START,
    now: () => clock.time,
    sleep: systemClock.sleep,
  }
  return { clock, quotas: createQuotas({ store: stores.quotas, clock, revocations: createRevocations() }) }
}

const isRefused = (outcome: PromiseSettledResult<unknown>): boolean =>
  outcome.status === 'rejected' && SvcError.is(outcome.reason) && outcome.reason.code === 'quota_exceeded'

describe.each(places)('quotas in $name', ({ open }) => {
  it('AU-17: let exactly 100 of 1,000 pass that come at once, over two servers', async () => {
    await using place = await open()
    const first = createWorld(place.stores)
    const second = createWorld(await place.openSecond())
    await first.quotas.putRule('ada', { maxRequests: 100, window: '1h' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    first.clock.time += 90_000
    second.clock.time += 90_000
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1000 }, async (_, index) =>
        (index % 2 === 0 ? first : second).quotas.reserve(principal, { model: 'm', tokens: 5 }, call),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(100)
    expect(outcomes.filter(isRefused)).toHaveLength(900)
    const refusal = outcomes.find(isRefused)
    expect(refusal?.status === 'rejected' && refusal.reason).toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: HOUR - 90_000,
      details: { type: 'quota_exceeded' },
    })
    expect(await first.quotas.readStatus('ada', call)).toMatchObject([
      { requests: 100, tokens: 500, window: '1h', resetsAt: START + HOUR },
    ])
    first.clock.time = START + HOUR
    await first.quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
    expect(await first.quotas.readStatus('ada', call)).toMatchObject([{ requests: 1, tokens: 1 }])
  })

  it('DB-2: go on after replies of an upstream that claims anything', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    await quotas.putRule('ada', { maxRequests: 3000, window: '1d' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    const ask = async () => quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
    for (const reservation of await Promise.all(Array.from({ length: 2000 }, ask))) reservation.settle(1e300)
    await quotas.flush()
    const last = await ask()
    last.settle(3)
    const [status] = await quotas.readStatus('ada', call)
    expect([status?.requests, Number.isSafeInteger(status?.tokens)]).toEqual([2001, true])
  })

  it('settle what was used in place of what was reserved', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    await quotas.putRule('ada', { maxTokens: 100, window: '1d' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    const reservation = await quotas.reserve(principal, { model: 'm', tokens: 90 }, call)
    const rest = await quotas.reserve(principal, { model: 'm', tokens: 5000 }, call)
    await expect(quotas.reserve(principal, { model: 'm', tokens: 0 }, call)).rejects.toMatchObject({
      code: 'quota_exceeded',
    })
    rest.settle(undefined)
    reservation.settle(20)
    reservation.settle(90)
    await quotas.flush()
    const dropped = await quotas.reserve(principal, { model: 'm', tokens: 80 }, call)
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 100 }])
    dropped.settle(undefined)
    const over = await quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
    over.settle(500)
    await quotas.flush()
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 520 }])
    await expect(quotas.reserve(principal, { model: 'm', tokens: 0 }, call)).rejects.toMatchObject({
      code: 'quota_exceeded',
    })
  })

  it('renew the reservation of a request that goes on, which counts once', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    await quotas.putRule('ada', { maxTokens: 100, maxRequests: 2, window: '1d' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    const long = await quotas.reserve(principal, { model: 'm', tokens: 30 }, call)
    await long.renew({ used: 25, next: 40 }, call)
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 1, tokens: 65 }])
    const other = await quotas.reserve(principal, { model: 'm', tokens: 10 }, call)
    other.settle(10)
    // at the limit of requests, a request's own count does not refuse it
    await long.renew({ used: 60, next: 5000 }, call)
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 100 }])
    await expect(long.renew({ used: 90, next: 1 }, call)).rejects.toMatchObject({ code: 'quota_exceeded' })
    // a refused request keeps its reservation, and settles the tokens that it used
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 100 }])
    long.settle(91)
    await long.renew({ used: 0, next: 1 }, call)
    await quotas.flush()
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 101 }])
  })

  it('count a request once that is settled while it is renewed', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    await quotas.putRule('ada', { maxTokens: 100, window: '1d' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    for (const isLate of [false, true]) {
      const reservation = await quotas.reserve(principal, { model: 'm', tokens: 30 }, call)
      const left = new AbortController()
      const renewing = reservation.renew({ used: 5, next: 20 }, { signal: left.signal })
      if (isLate) left.abort(new Error('left'))
      reservation.settle(5)
      await Promise.allSettled([renewing])
      await quotas.flush()
      await quotas.flush()
    }
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 10 }])
  })

  it('give back what a server that was killed had reserved, and count it if it was alive after all', async () => {
    await using place = await open()
    const { quotas, clock } = createWorld(place.stores)
    await quotas.putRule('ada', { maxRequests: 2, maxTokens: 100, window: '7d' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    const first = await quotas.reserve(principal, { model: 'm', tokens: 50 }, call)
    await quotas.reserve(principal, { model: 'm', tokens: 50 }, call)
    await expect(quotas.reserve(principal, { model: 'm', tokens: 1 }, call)).rejects.toMatchObject({
      kind: 'rate_limited',
    })
    clock.time += 15 * 60_000
    await quotas.reserve(principal, { model: 'm', tokens: 60 }, call)
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 1, tokens: 60 }])
    first.settle(30)
    await quotas.flush()
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 90 }])
  })

  it('hold all rules of a request or none', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    await quotas.putRule('ada', { maxRequests: 10, window: '1h' }, call)
    await quotas.putRule('ada', { model: 'small', maxRequests: 1, window: '1h' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    await quotas.reserve(principal, { model: 'small', tokens: 0 }, call)
    await expect(quotas.reserve(principal, { model: 'small', tokens: 0 }, call)).rejects.toMatchObject({
      message: 'quota exceeded for model small, try again when its window of 1h ends',
    })
    await quotas.reserve(principal, { model: 'large', tokens: 0 }, call)
    const status = await quotas.readStatus('ada', call)
    expect(new Map(status.map(({ model, requests }) => [model, requests]))).toEqual(
      new Map([
        ['', 2],
        ['small', 1],
      ]),
    )
  })

  it('follow a change of a rule, whose window then begins anew, and its removal', async () => {
    await using place = await open()
    const { quotas, clock } = createWorld(place.stores)
    const made = await quotas.putRule('ada', { maxRequests: 1, window: '1h' }, call)
    const before = caller(await place.stores.quotas.listRules('ada', call))
    await quotas.reserve(before, { model: 'm', tokens: 1 }, call)
    clock.time += 1000
    const changed = await quotas.putRule('ada', { maxRequests: 3, maxTokens: null, window: '2h' }, call)
    expect(changed).toMatchObject({ id: made.id, maxRequests: 3, requests: 0, resetsAt: clock.time + 2 * HOUR })
    await expect(quotas.removeRule({ id: made.id, userId: 'bob' }, call)).rejects.toMatchObject({
      kind: 'not_found',
      message: 'quota rule not found',
    })
    await quotas.removeRule({ id: made.id, userId: 'ada' }, call)
    expect(await quotas.readStatus('ada', call)).toEqual([])
  })

  it('do not count a request that settles after its window into the next one', async () => {
    await using place = await open()
    const { quotas, clock } = createWorld(place.stores)
    await quotas.putRule('ada', { maxTokens: 100, window: '1h' }, call)
    const principal = caller(await place.stores.quotas.listRules('ada', call))
    const reservation = await quotas.reserve(principal, { model: 'm', tokens: 40 }, call)
    clock.time += HOUR
    reservation.settle(40)
    await quotas.flush()
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 0, tokens: 0 }])
  })
})

describe('a reservation', () => {
  function createSlowWorld() {
    const { quotas: store } = createMemoryStores()
    const gate = createDeferred()
    const state = { isAway: false }
    const slow: QuotaStore = {
      ...store,
      async apply(work, options) {
        await gate.promise
        if (state.isAway) throw new SvcError('unavailable', 'away')
        return store.apply(work, options)
      },
    }
    const quotas = createQuotas({ store: slow, clock: systemClock, revocations: createRevocations() })
    return { store, gate, state, quotas }
  }

  it('ends with the request that waits for it, and is given back', async () => {
    const { store, gate, quotas } = createSlowWorld()
    await quotas.putRule('ada', { maxRequests: 1, window: '1h' }, call)
    const principal = caller(await store.listRules('ada', call))
    const gone = new AbortController()
    const waiting = quotas.reserve(principal, { model: 'm', tokens: 1 }, { signal: gone.signal })
    gone.abort(new Error('the client left'))
    await expect(waiting).rejects.toThrow('the client left')
    gate.resolve()
    await quotas.flush()
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 0, tokens: 0 }])
  })

  it('REL-8: that is settled while the store is away is settled with the next one', async () => {
    const { store, gate, state, quotas } = createSlowWorld()
    gate.resolve()
    await quotas.putRule('ada', { maxRequests: 3, window: '1h' }, call)
    const principal = caller(await store.listRules('ada', call))
    const first = await quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
    state.isAway = true
    first.settle(40)
    await quotas.flush()
    await expect(quotas.reserve(principal, { model: 'm', tokens: 1 }, call)).rejects.toMatchObject({
      kind: 'unavailable',
    })
    state.isAway = false
    const second = await quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
    second.settle(2)
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 42 }])
  })
})

it.each([
  [{ window: '' }, 'window is required'],
  [{ window: 7 }, 'window is required'],
  [{ window: '0s' }, 'window must be a duration between 1s and 366d, such as 1h or 7d'],
  [{ window: '9999y' }, 'window must be a duration between 1s and 366d, such as 1h or 7d'],
  [{ window: '1h', maxRequests: -1 }, 'max_requests must be a whole number of 0 or more, or null'],
  [{ window: '1h', maxTokens: 1e300 }, 'max_total_tokens must be a whole number of 0 or more, or null'],
  [{ window: '1h', maxTokens: '5' }, 'max_total_tokens must be a whole number of 0 or more, or null'],
  [{ window: '1h', model: 'a\0b' }, 'model holds characters that cannot be stored'],
  [{ window: '1h', model: 'm'.repeat(1_000_000) }, 'model is longer than 200 characters'],
])('a quota of %j is refused', async (draft, message) => {
  const [place] = places
  if (place === undefined) throw new Error('no place')
  await using opened = await place.open()
  const { quotas } = createWorld(opened.stores)
  await expect(quotas.putRule('ada', draft, call)).rejects.toMatchObject({ kind: 'invalid_request', message })
})

it('callers without rules do not wait', async () => {
  const [place] = places
  if (place === undefined) throw new Error('no place')
  await using opened = await place.open()
  const { quotas } = createWorld(opened.stores)
  expect(quotas.reserve(caller([]), { model: 'm', tokens: 1 }, call)).not.toBeInstanceOf(Promise)
})
