import { createRevocations, type Principal } from '@svc/auth'
import type { LimitDraft, LimitNotice } from '@svc/auth/limits'
import type { Stores } from '@svc/auth/ports'
import { createExclusiveQuotaStore, createQuotas, type Quotas, type QuotaUse } from '@svc/auth/quotas'
import { SvcError } from '@svc/errors'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createLocalPrincipal } from '../src/principal.ts'
import { systemClock } from '../src/system-clock.ts'
import { listPlaces } from './places.ts'
import { addUser, call, EMPTY_KEY } from './world.ts'

const places = await listPlaces()
/** A moment inside of a minute, an hour, a day and a month. */
const START = Date.UTC(2026, 1, 10, 14, 30, 20)

const person = (id: string, changes: Partial<Principal> = {}): Principal => ({
  ...createLocalPrincipal(),
  kind: 'user',
  id,
  role: 'user',
  ...changes,
})
const ada = person('ada')
const use = (changes: Partial<QuotaUse> = {}): QuotaUse => ({ model: 'm', tokens: 5, ...changes })
const costs =
  (micros: number, currency = 'USD') =>
  () => ({ micros, currency })

/** A server over some stores; the owner of a file decides in memory. */
function createWorld(stores: Stores, { owns = false, at = START }: { owns?: boolean; at?: number } = {}) {
  const clock = { time: at, now: () => clock.time, sleep: systemClock.sleep }
  const exclusive = owns ? createExclusiveQuotaStore({ store: stores.quotas, clock }) : undefined
  const revocations = createRevocations()
  const notices: LimitNotice[] = []
  const quotas = createQuotas({
    store: exclusive ?? stores.quotas,
    limits: stores.limits,
    clock,
    revocations,
    onLimitNotice: (notice) => void notices.push(notice),
  })
  return { clock, quotas, exclusive, revocations, notices }
}

const forAccount = (changes: LimitDraft): LimitDraft => ({ subjectKind: 'account', subjectId: 'ada', ...changes })

/** Asks many times at once. @returns how many passed, and the codes of the refusals */
async function crowd(count: number, ask: (index: number) => Promise<unknown>) {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => ask(index)))
  const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const codes = new Set(refusals.map((reason) => (SvcError.is(reason) ? reason.code : String(reason))))
  return { passed: count - refusals.length, codes: [...codes] }
}

async function countOf(quotas: Quotas, id: string, of?: string) {
  return (await quotas.limits.read(id, { ...call, of })).count
}

describe.each(places)('limits in $name', ({ name, open }) => {
  it('of a group are shared by its members, and those of each member are its own; the tightest holds', async () => {
    await using place = await open()
    const { quotas, exclusive } = createWorld(place.stores, { owns: name !== 'postgres' })
    const inGroups = (id: string, ...groups: string[]) =>
      person(id, { groups, groupNames: groups.map((group) => `the ${group}s`) })
    const shared = await quotas.limits.create({ subjectKind: 'group', subjectId: 'g', maxRequests: 30 }, call)
    const each = await quotas.limits.create({ subjectKind: 'group_member', subjectId: 'g', maxRequests: 20 }, call)
    const passes = (who: Principal) =>
      crowd(50, async () => quotas.reserve(who, use(), call)).then(({ passed }) => passed)
    expect(await Promise.all([passes(inGroups('ada', 'g')), passes(person('eve'))])).toEqual([20, 50])
    await expect(quotas.reserve(inGroups('ada', 'g'), use(), call)).rejects.toThrow(
      'the limit of 20 requests (month) of this account in the group the gs is reached',
    )
    expect(await passes(inGroups('bob', 'h', 'g'))).toBe(10)
    await expect(quotas.reserve(inGroups('cid', 'g'), use(), call)).rejects.toThrow(
      'the limit of 30 requests (month) of the group the gs is reached',
    )
    expect(await countOf(quotas, shared.id)).toMatchObject({ requests: 30 })
    expect(await countOf(quotas, each.id, 'ada')).toMatchObject({ requests: 20 })
    expect(await countOf(quotas, each.id, 'bob')).toMatchObject({ requests: 10 })
    expect(await quotas.limits.readOwn(inGroups('bob', 'g'), call)).toMatchObject([
      { id: shared.id, count: { requests: 30 } },
      { id: each.id, countedId: 'bob', count: { requests: 10 } },
    ])
    await expect(
      quotas.limits.create({ subjectKind: 'group_member', subjectId: '*', maxRequests: 1 }, call),
    ).rejects.toThrow('subject_id must be the id of a group')
    await exclusive?.close(call)
  })

  it('a budget lets exactly as many of 1,000 pass at once as fit, over two servers or one that owns the file', async () => {
    await using place = await open()
    const owns = name !== 'postgres'
    const first = createWorld(place.stores, { owns })
    const second = owns ? first : createWorld(await place.openSecond())
    // 40 requests of 25 cents fit, the rest does not suffice for another one
    const limit = await first.quotas.limits.create(forAccount({ maxCostMicros: 10_100_000, currency: 'USD' }), call)
    second.revocations.publish({ kind: 'all' })
    const ask = async (index: number) => {
      const { quotas } = index % 2 === 0 ? first : second
      return quotas.reserve(ada, use({ cost: costs(250_000) }), call)
    }
    expect(await crowd(1000, ask)).toEqual({ passed: 40, codes: ['budget_exceeded'] })
    expect(await countOf(first.quotas, limit.id)).toMatchObject({ requests: 40, costMicros: 10_000_000, parallel: 40 })
    await first.exclusive?.close(call)
  })

  it('settle what was spent in place of what was reserved, and what was reserved where the cost is unknown', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    const { id } = await quotas.limits.create(forAccount({ maxCostMicros: 1_000_000, currency: 'USD' }), call)
    const ask = async (micros: number) => quotas.reserve(ada, use({ cost: costs(micros) }), call)
    const [cheap, unknown, left] = [await ask(400_000), await ask(300_000), await ask(300_000)]
    await expect(ask(1)).rejects.toMatchObject({ code: 'budget_exceeded', kind: 'rate_limited' })
    cheap.settle(3, 1)
    unknown.settle(3)
    left.settle(undefined)
    await quotas.flush()
    await expect(ask(700_000)).rejects.toThrow('has 0.699999 USD left, and the request may cost 0.70')
    const long = await ask(600_000)
    await long.renew({ used: 5, next: 5, costMicros: 699_999 }, call)
    await expect(long.renew({ used: 5, next: 5, costMicros: 700_000 }, call)).rejects.toMatchObject({
      code: 'budget_exceeded',
    })
    expect(await countOf(quotas, id)).toMatchObject({ requests: 3, costMicros: 1_000_000, parallel: 1 })
    long.settle(4, 20)
    await quotas.flush()
    expect(await countOf(quotas, id)).toMatchObject({ requests: 3, costMicros: 300_021, parallel: 0 })
  })

  it('a budget refuses a model without a price by name, and one in another currency; a soft one does not', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    const hard = await quotas.limits.create(forAccount({ maxCostMicros: 5, currency: 'EUR' }), call)
    const ask = async (cost?: QuotaUse['cost']) => quotas.reserve(ada, use({ model: 'free', cost }), call)
    for (const cost of [undefined, () => undefined, costs(1)]) {
      await expect(ask(cost)).rejects.toMatchObject({
        kind: 'forbidden',
        code: 'price_unknown',
        message:
          'the budget of 0.000005 EUR (month) of this account allows only models with a price in EUR: free has none',
      })
    }
    await quotas.limits.change(hard.id, { isSoft: true }, call)
    await expect(ask()).resolves.toMatchObject({ passed: [] })
  })

  it('a soft budget counts no money of another currency, and its count begins anew with its currency', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    const { id } = await quotas.limits.create(
      forAccount({ maxCostMicros: 5_000_000, currency: 'EUR', isSoft: true }),
      call,
    )
    const spend = async (micros: number, currency: string) => {
      const reserved = await quotas.reserve(ada, use({ cost: costs(micros, currency) }), call)
      const held = await countOf(quotas, id)
      reserved.settle(1, micros + 1)
      return [held?.costMicros, (await countOf(quotas, id))?.costMicros]
    }
    expect(await spend(1_000_000, 'USD')).toEqual([0, 0])
    expect(await spend(2_000_000, 'EUR')).toEqual([2_000_000, 2_000_001])
    await quotas.limits.change(id, { currency: 'USD' }, call)
    expect(await countOf(quotas, id)).toMatchObject({ requests: 0, costMicros: 0 })
  })

  it('a cost in the currency of other prices leaves a budget what was reserved, also for a request that goes on', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    const { id } = await quotas.limits.create(forAccount({ maxCostMicros: 5_000_000, currency: 'USD' }), call)
    const first = await quotas.reserve(ada, use({ cost: costs(1_000_000) }), call)
    await first.renew({ used: 1, next: 1, costMicros: 4, currency: 'EUR' }, call)
    expect(await countOf(quotas, id)).toMatchObject({ costMicros: 1_000_000 })
    first.settle(1, 4, 'EUR')
    expect(await countOf(quotas, id)).toMatchObject({ costMicros: 1_000_000, parallel: 0 })
    const second = await quotas.reserve(ada, use({ cost: costs(2_000_000) }), call)
    second.settle(1, 5, 'USD')
    expect(await countOf(quotas, id)).toMatchObject({ costMicros: 1_000_005 })
  })

  it('let only so many requests run at a time, and give the place back at their end or expiry', async () => {
    await using place = await open()
    const { quotas, clock } = createWorld(place.stores)
    const { id } = await quotas.limits.create(forAccount({ maxParallel: 2 }), call)
    const ask = async () => quotas.reserve(ada, use(), call)
    const [first] = [await ask(), await ask()]
    await expect(ask()).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: 'the limit of 2 requests at a time of this account is reached, try again when one ends',
      retryAfterMs: 1000,
    })
    first.settle(4)
    await quotas.flush()
    const third = await ask()
    await expect(ask()).rejects.toMatchObject({ code: 'limit_exceeded' })
    // the server that held the others was killed
    clock.time += 15 * 60_000
    await ask()
    await ask()
    expect(await countOf(quotas, id)).toMatchObject({ parallel: 2 })
    third.settle(1)
    await quotas.flush()
    expect(await countOf(quotas, id)).toMatchObject({ parallel: 2 })
  })

  it.each([
    ['minute', Date.UTC(2026, 1, 10, 14, 31)],
    ['hour', Date.UTC(2026, 1, 10, 15)],
    ['day', Date.UTC(2026, 1, 11)],
    ['month', Date.UTC(2026, 2, 1)],
    ['fixed 90s', START + 90_000],
  ])('a window of a %s ends at its bound in UTC', async (window, end) => {
    await using place = await open()
    const { quotas, clock } = createWorld(place.stores)
    await quotas.limits.create(forAccount({ maxRequests: 1, window }), call)
    const ask = async () => (await quotas.reserve(ada, use(), call)).settle(1)
    await ask()
    await expect(ask()).rejects.toMatchObject({
      message: `the limit of 1 requests (${window}) of this account is reached, try again at ${new Date(end).toISOString()}`,
      retryAfterMs: end - START,
    })
    clock.time = end - 1
    await expect(ask()).rejects.toMatchObject({ code: 'limit_exceeded' })
    clock.time = end
    await ask()
  })

  it('a rolling window lets go of requests one after the other, never too early', async () => {
    await using place = await open()
    const { quotas, clock } = createWorld(place.stores, { at: START - (START % 3_600_000) })
    const begin = clock.time
    const { id } = await quotas.limits.create(forAccount({ maxTokens: 100, window: 'rolling 1h' }), call)
    const spend = async (tokens: number) => {
      const reservation = await quotas.reserve(ada, use({ tokens: 1 }), call)
      reservation.settle(tokens)
      await quotas.flush()
    }
    await spend(60)
    clock.time = begin + 30 * 60_000
    await spend(60)
    const refused = await spend(1).catch((error: unknown) => error)
    // the first part of a minute has left the window as a whole after an hour and a minute
    expect(refused).toMatchObject({ code: 'limit_exceeded', retryAfterMs: 31 * 60_000 })
    clock.time = begin + 61 * 60_000 - 1
    await expect(spend(1)).rejects.toMatchObject({ code: 'limit_exceeded' })
    clock.time = begin + 61 * 60_000
    await spend(30)
    expect(await countOf(quotas, id)).toMatchObject({ requests: 2, tokens: 90, resetsAt: clock.time + 61 * 60_000 })
    clock.time += 10 * 3_600_000
    expect(await countOf(quotas, id)).toMatchObject({ requests: 0, tokens: 0 })
  })

  it('hold for those that they name, each for itself where they say so', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    const key = { id: 'k1', name: 'ci' }
    const one = { maxRequests: 1 }
    const eachKey = await quotas.limits.create({ subjectKind: 'key', subjectId: '*', ...one }, call)
    await quotas.limits.create({ subjectKind: 'group', subjectId: 'team', model: 'big', ...one }, call)
    await quotas.limits.create({ subjectKind: 'model', subjectId: 'nick', ...one }, call)
    const eachUser = await quotas.limits.create({ subjectKind: 'end_user', subjectId: '*', ...one }, call)
    const ask = async (principal: Principal, changes: Partial<QuotaUse> = {}) =>
      (await quotas.reserve(principal, use(changes), call)).settle(1)
    const refused = { code: 'limit_exceeded' }
    const withKey = person('bob', { apiKey: key, role: 'admin' })
    await ask(withKey)
    await expect(ask(withKey)).rejects.toThrow('of this key')
    await ask(person('bob', { apiKey: { id: 'k2', name: 'x' } }))
    const member = person('eve', { groups: ['team'] })
    await ask(member, { model: 'big' })
    await expect(ask(person('joe', { groups: ['team'] }), { model: 'big' })).rejects.toThrow(
      'the group team for the model big',
    )
    await ask(member)
    await ask(ada, { model: 'served', through: ['nick'] })
    await expect(ask(person('joe'), { model: 'nick' })).rejects.toThrow('of the model nick')
    const longName = '\0'.repeat(5000)
    for (const user of ['u1', longName]) {
      await ask(ada, { endUser: () => user })
      await expect(ask(ada, { endUser: () => user })).rejects.toMatchObject(refused)
    }
    await ask(ada)
    expect(await countOf(quotas, eachKey.id, 'k1')).toMatchObject({ requests: 1 })
    expect(await countOf(quotas, eachUser.id, longName)).toMatchObject({ requests: 1 })
    expect(await countOf(quotas, eachUser.id)).toBeUndefined()
    expect(await quotas.limits.readOwn(withKey, call)).toMatchObject([{ countedId: 'k1', count: { requests: 1 } }])
  })

  it('a soft limit lets pass and says so; what is left is that of the tightest limit', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    await quotas.limits.create(forAccount({ maxRequests: 2, window: 'hour', isSoft: true }), call)
    await quotas.limits.create(forAccount({ maxRequests: 9, maxTokens: 100, window: 'day' }), call)
    const ask = async () => quotas.reserve(ada, use(), call)
    const [first] = [await ask(), await ask()]
    expect(first).toMatchObject({
      passed: [],
      figures: {
        requests: { limit: 2, remaining: 1, resetsAt: Date.UTC(2026, 1, 10, 15) },
        tokens: { limit: 100, remaining: 95, resetsAt: Date.UTC(2026, 1, 11) },
      },
    })
    expect(await ask()).toMatchObject({
      passed: [{ rule: { limit: { maxRequests: 2 } }, full: 'requests' }],
      figures: { requests: { remaining: 0 } },
    })
  })

  it('tell once that 80 and 100 percent are used', async () => {
    await using place = await open()
    const { quotas, notices, clock } = createWorld(place.stores)
    await quotas.limits.create(forAccount({ maxRequests: 5, window: 'hour' }), call)
    const ask = async () => (await quotas.reserve(ada, use(), call)).settle(1)
    for (let count = 0; count < 5; count += 1) await ask()
    await expect(ask()).rejects.toMatchObject({ code: 'limit_exceeded' })
    expect(notices.map(({ percent }) => percent)).toEqual([80, 100])
    clock.time += 3_600_000
    for (let count = 0; count < 4; count += 1) await ask()
    expect(notices.map(({ percent }) => percent)).toEqual([80, 100, 80])
  })

  it('follow changes of this server at once and of others when rights change', async () => {
    await using place = await open()
    const first = createWorld(place.stores)
    const second = createWorld(await place.openSecond())
    const ask = async (world: typeof first) => (await world.quotas.reserve(ada, use(), call)).settle(1)
    await ask(second)
    expect(second.quotas.hasLimits).toBe(false)
    const before = await place.stores.rights.revision(call)
    const { id } = await first.quotas.limits.create(forAccount({ maxRequests: 1, window: 'hour' }), call)
    expect(await place.stores.rights.revision(call)).toBeGreaterThan(before)
    second.revocations.publish({ kind: 'all' })
    await ask(second)
    await expect(ask(second)).rejects.toMatchObject({ code: 'limit_exceeded' })
    await first.quotas.limits.change(id, { maxRequests: 2, note: 'more' }, call)
    await ask(first)
    await expect(ask(first)).rejects.toMatchObject({ code: 'limit_exceeded' })
    expect(await first.quotas.limits.list(call)).toMatchObject([{ id, note: 'more', count: { requests: 2 } }])
    await first.quotas.limits.change(id, { window: 'day' }, call)
    expect(await countOf(first.quotas, id)).toMatchObject({ requests: 0 })
    await first.quotas.limits.change(id, { isEnabled: false }, call)
    for (let count = 0; count < 3; count += 1) await ask(first)
    await first.quotas.limits.remove(id, call)
    await expect(first.quotas.limits.read(id, call)).rejects.toMatchObject({ kind: 'not_found' })
    await expect(first.quotas.limits.remove(id, call)).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('forget old counters of each, and keep those of now', async () => {
    await using place = await open()
    const { quotas, clock } = createWorld(place.stores)
    const { id } = await quotas.limits.create(
      { subjectKind: 'account', subjectId: '*', maxRequests: 9, window: 'hour' },
      call,
    )
    const ask = async (who: string) => (await quotas.reserve(person(who), use(), call)).settle(1)
    await ask('ada')
    await ask('bob')
    await quotas.flush()
    clock.time += 3_600_000
    await ask('bob')
    await quotas.flush()
    await quotas.limits.tidy(call)
    expect(await place.stores.quotas.readCounters([`${id}:ada`, `${id}:bob`], call)).toMatchObject([
      { ruleId: `${id}:bob`, requests: 1 },
    ])
  })

  it('a request that ends after its limit was removed leaves no counter for good', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    const { id } = await quotas.limits.create(forAccount({ maxRequests: 9, window: 'hour' }), call)
    const kept = await quotas.limits.create(forAccount({ maxTokens: 9, window: 'hour' }), call)
    const running = await quotas.reserve(ada, use(), call)
    await quotas.limits.remove(id, call)
    running.settle(1)
    await quotas.flush()
    await quotas.limits.tidy(call)
    expect(await place.stores.quotas.readCounters([id, kept.id], call)).toMatchObject([
      { ruleId: kept.id, requests: 1, tokens: 1 },
    ])
  })

  it('leave with the account or the key that they are of, and no others', async () => {
    await using place = await open()
    const { quotas } = createWorld(place.stores)
    const { users, apiKeys } = place.stores
    await addUser(place.stores, 'root@site.example', { isAdmin: true })
    const user = await addUser(place.stores, 'ada@site.example')
    const key = { ...EMPTY_KEY, userId: user.id, role: 'user', scopes: {}, createdAt: 1 } as const
    for (const name of ['one', 'two']) {
      const value = { id: `key-${name}`, name, hash: name, prefix: name, expiresAt: undefined, lastUsedAt: undefined }
      await apiKeys.create({ ...key, ...value }, { ...call, maxKeys: 9 })
    }
    const add = async (subjectKind: string, subjectId: string): Promise<string> =>
      (await quotas.limits.create({ subjectKind, subjectId, maxRequests: 1, window: 'hour' }, call)).id
    const own = await add('account', user.id)
    const [one, two] = [await add('key', 'key-one'), await add('key', 'key-two')]
    const others = [await add('account', '*'), await add('model', user.id), await add('key', 'key-of-a-service')]
    const ids = async () => (await quotas.limits.list(call)).map(({ id }) => id)
    await apiKeys.remove({ id: 'key-one', userId: user.id }, call)
    expect(new Set(await ids())).toEqual(new Set([own, two, ...others]))
    expect(one).not.toBe(two)
    await users.remove(user.id, call)
    expect(new Set(await ids())).toEqual(new Set(others))
  })

  it('a process that owns its file keeps counts over a restart, and no reservation of a killed one', async () => {
    await using place = await open()
    const first = createWorld(place.stores, { owns: true })
    const { id } = await first.quotas.limits.create(
      forAccount({ maxCostMicros: 1000, currency: 'USD', maxParallel: 2, window: 'rolling 1d' }),
      call,
    )
    const settled = await first.quotas.reserve(ada, use({ cost: costs(500) }), call)
    await first.quotas.reserve(ada, use({ cost: costs(500) }), call)
    settled.settle(2, 300)
    await first.quotas.flush()
    await first.exclusive?.flush(call)
    const second = createWorld(place.stores, { owns: true })
    expect(await countOf(second.quotas, id)).toMatchObject({ requests: 1, costMicros: 300, parallel: 0 })
    await second.quotas.reserve(ada, use({ cost: costs(700) }), call)
  })
})

it.each([
  [{}, 'subject_kind must be one of account, key, group, group_member, model, end_user'],
  [{ subjectKind: 'account', subjectId: 7 }, 'subject_id'],
  [forAccount({}), 'a limit needs max_requests, max_total_tokens, max_cost_micros or max_parallel'],
  [forAccount({ maxRequests: 1.5 }), 'max_requests must be a whole number'],
  [forAccount({ maxParallel: -1 }), 'max_parallel must be a whole number'],
  [forAccount({ maxCostMicros: 1e16, currency: 'USD' }), 'max_cost_micros must be a whole number'],
  [forAccount({ maxCostMicros: 1 }), 'currency is required with max_cost_micros'],
  [forAccount({ maxCostMicros: 1, currency: 'usd' }), 'currency must be a code of three capital letters'],
  [forAccount({ maxRequests: 1, window: 'year' }), 'window must be minute, hour, day or month'],
  [forAccount({ maxRequests: 1, window: 'rolling 2y' }), 'window must be minute'],
  [forAccount({ maxRequests: 1, isSoft: 'yes' }), 'soft must be true or false'],
  [forAccount({ maxRequests: 1, note: 'n'.repeat(501) }), 'note is longer than 500 characters'],
  [{ subjectKind: 'model', subjectId: 'm', model: 'n', maxRequests: 1 }, 'a limit of a model has no further model'],
])('a limit of %j is refused', async (draft, message) => {
  const [place] = places
  if (place === undefined) throw new Error('no place')
  await using opened = await place.open()
  const { quotas } = createWorld(opened.stores)
  await expect(quotas.limits.create(draft, call)).rejects.toMatchObject({
    kind: 'invalid_request',
    message: expect.stringContaining(message),
  })
})

it('known limits hold while the store is away, and nothing passes before they are known', async () => {
  const [place] = places
  if (place === undefined) throw new Error('no place')
  await using opened = await place.open()
  const state = { isAway: true }
  const limits = {
    ...opened.stores.limits,
    async list(options: typeof call) {
      if (state.isAway) throw new SvcError('unavailable', 'away')
      return opened.stores.limits.list(options)
    },
  }
  const { quotas, revocations, clock } = createWorld({ ...opened.stores, limits })
  const ask = async () => (await quotas.reserve(ada, use(), call)).settle(1)
  await expect(ask()).rejects.toMatchObject({ kind: 'unavailable' })
  state.isAway = false
  await quotas.limits.create(forAccount({ maxRequests: 1 }), call)
  await ask()
  state.isAway = true
  revocations.publish({ kind: 'all' })
  await expect(ask()).rejects.toMatchObject({ code: 'limit_exceeded' })
  // the store is back, and another process has turned the limit off meanwhile
  state.isAway = false
  const [limit] = await opened.stores.limits.list(call)
  if (limit === undefined) throw new Error('no limit')
  await opened.stores.limits.change({ ...limit, isEnabled: false }, { ...call, restarts: false })
  await expect(ask()).rejects.toMatchObject({ code: 'limit_exceeded' })
  clock.time += 1000
  await eventually(ask)
})
