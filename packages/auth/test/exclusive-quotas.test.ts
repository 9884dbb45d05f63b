import { createRevocations, type Principal } from '@svc/auth'
import type { QuotaRule, QuotaStore } from '@svc/auth/ports'
import { createExclusiveQuotaStore, createQuotas } from '@svc/auth/quotas'
import { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createLocalPrincipal } from '../src/principal.ts'
import { listPlaces } from './places.ts'
import { call } from './world.ts'

const places = await listPlaces()

const caller = (quotas: readonly QuotaRule[]): Principal => ({
  ...createLocalPrincipal(),
  kind: 'user',
  id: 'ada',
  role: 'user',
  quotas,
})

/** The process that owns a store. */
function start(store: QuotaStore, clock = createFakeClock()) {
  const exclusive = createExclusiveQuotaStore({ store, clock })
  return { clock, exclusive, quotas: createQuotas({ store: exclusive, clock, revocations: createRevocations() }) }
}

describe.each(places)('quotas that one process decides, kept in $name', ({ open }) => {
  it('let exactly 100 of 1,000 pass that come at once, also after a restart', async () => {
    await using place = await open()
    const store = place.stores.quotas
    const first = start(store)
    await first.quotas.putRule('ada', { maxRequests: 100, window: '1h' }, call)
    const principal = caller(await store.listRules('ada', call))
    const reserve = async (quotas: typeof first.quotas, count: number): Promise<number> => {
      const asked = Array.from({ length: count }, async () => {
        const reservation = await quotas.reserve(principal, { model: 'm', tokens: 7 }, call)
        reservation.settle(5)
      })
      return (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length
    }
    expect(await reserve(first.quotas, 60)).toBe(60)
    await first.quotas.flush()
    const second = start(store, first.clock)
    expect(await reserve(second.quotas, 1000)).toBe(40)
    expect(await second.quotas.readStatus('ada', call)).toMatchObject([{ requests: 100, tokens: 500 }])
    await second.exclusive.close(call)
    expect(await store.readCounters([principal.quotas[0]?.id ?? ''], call)).toMatchObject([
      { requests: 100, tokens: 500 },
    ])
  })

  it('are stored a moment later, without the reservations of requests under way', async () => {
    await using place = await open()
    const store = place.stores.quotas
    const { quotas, exclusive, clock } = start(store)
    const rule = await quotas.putRule('ada', { maxRequests: 10, maxTokens: 100, window: '1h' }, call)
    const principal = caller(await store.listRules('ada', call))
    const settled = await quotas.reserve(principal, { model: 'm', tokens: 30 }, call)
    await quotas.reserve(principal, { model: 'm', tokens: 60 }, call)
    settled.settle(20)
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 80 }])
    await clock.advance(250)
    await exclusive.flush(call)
    expect(await store.readCounters([rule.id], call)).toMatchObject([{ requests: 1, tokens: 20 }])
    const next = start(store, clock)
    await next.quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
    expect(await next.quotas.readStatus('ada', call)).toMatchObject([{ requests: 2, tokens: 21 }])
  })

  it('write no counter of a limit while it is changed', async () => {
    await using place = await open()
    const store = place.stores.quotas
    const { quotas, exclusive } = start(store)
    const rule = await quotas.putRule('ada', { maxRequests: 9, window: '1h' }, call)
    const principal = caller(await store.listRules('ada', call))
    const reservation = await quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
    reservation.settle(5)
    await quotas.flush()
    const [begun, changed] = [createDeferred<void>(), createDeferred<void>()]
    const restarted = exclusive.restart?.(rule.id, async () => {
      await store.writeCounters([{ ruleId: rule.id, windowStart: 0, requests: 0, tokens: 0 }], call)
      begun.resolve()
      await changed.promise
      return true
    })
    await begun.promise
    const written = exclusive.flush(call)
    changed.resolve()
    await Promise.all([restarted, written])
    expect(await store.readCounters([rule.id], call)).toMatchObject([{ requests: 0, tokens: 0 }])
  })

  it('follow a change of a rule and its removal', async () => {
    await using place = await open()
    const store = place.stores.quotas
    const { quotas, exclusive, clock } = start(store)
    const rule = await quotas.putRule('ada', { maxRequests: 1, window: '1h' }, call)
    const before = caller(await store.listRules('ada', call))
    const first = await quotas.reserve(before, { model: 'm', tokens: 1 }, call)
    await expect(quotas.reserve(before, { model: 'm', tokens: 1 }, call)).rejects.toMatchObject({
      code: 'quota_exceeded',
    })
    await clock.advance(1000)
    await quotas.putRule('ada', { maxRequests: 2, window: '1h' }, call)
    const after = caller(await store.listRules('ada', call))
    await quotas.reserve(after, { model: 'm', tokens: 1 }, call)
    first.settle(3)
    expect(await quotas.readStatus('ada', call)).toMatchObject([{ maxRequests: 2, requests: 2 }])
    await quotas.removeRule({ id: rule.id, userId: 'ada' }, call)
    await exclusive.close(call)
    expect(await store.readCounters([rule.id], call)).toEqual([])
  })
})

it('REL-8: are neither unlimited nor lost while the store is away', async () => {
  const [place] = places
  if (place === undefined) throw new Error('no place')
  await using opened = await place.open()
  const state = { isAway: false }
  const base = opened.stores.quotas
  const store: QuotaStore = {
    ...base,
    async writeCounters(counters, options) {
      if (state.isAway) throw new SvcError('unavailable', 'away')
      return base.writeCounters(counters, options)
    },
  }
  const { quotas, exclusive, clock } = start(store)
  const rule = await quotas.putRule('ada', { maxRequests: 3, window: '1h' }, call)
  const principal = caller(await store.listRules('ada', call))
  const reserve = async () => quotas.reserve(principal, { model: 'm', tokens: 1 }, call)
  state.isAway = true
  const first = await reserve()
  await clock.advance(250)
  await expect(reserve()).rejects.toMatchObject({ kind: 'unavailable' })
  first.settle(9)
  await quotas.flush().catch(() => undefined)
  state.isAway = false
  const second = await reserve()
  second.settle(1)
  await reserve()
  await expect(reserve()).rejects.toMatchObject({ code: 'quota_exceeded' })
  await quotas.flush()
  await exclusive.close(call)
  expect(await base.readCounters([rule.id], call)).toMatchObject([{ requests: 2, tokens: 10 }])
})
