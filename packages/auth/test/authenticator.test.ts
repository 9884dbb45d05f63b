import { type Authentication, createRightsWatch, isCookie } from '@svc/auth'
import { createMemoryStores } from '@svc/auth/memory'
import type { Stores } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createServices } from './service-world.ts'
import { addUser, call } from './world.ts'

const HOUR = 3_600_000

describe('a caller', () => {
  it('is the same over every carrier of a key', async () => {
    const world = createServices()
    const { user, value } = await world.addMember('ada@site.example')
    for (const headers of [
      { authorization: `Bearer ${value}` },
      { authorization: value },
      { 'x-api-key': value },
      { 'xi-api-key': value },
      { cookie: `token=${value}` },
    ]) {
      expect((await world.authenticate(headers))?.principal).toMatchObject({
        kind: 'user',
        id: user.id,
        role: 'admin',
        via: 'api-key',
        scopes: undefined,
        apiKey: { name: 'laptop' },
      })
    }
    expect(await world.authenticate({ cookie: `session=${value}` }), 'a key is no session').toBeUndefined()
  })

  it('is the account of a session, as cookie and as bearer, and nowhere else', async () => {
    const world = createServices()
    const { user, session } = await world.addMember('ada@site.example')
    for (const headers of [{ cookie: `session=${session.token}` }, { authorization: `Bearer ${session.token}` }])
      expect((await world.authenticate(headers))?.principal).toMatchObject({ id: user.id, via: 'session' })
    for (const headers of [{ 'x-api-key': session.token }, { cookie: `token=${session.token}` }])
      expect(await world.authenticate(headers)).toBeUndefined()
  })

  it('is nobody with wrong, broken or no credentials', async () => {
    const world = createServices({ sharedKeys: ['shared'] })
    await world.addMember('ada@site.example')
    for (const headers of [
      {},
      { authorization: 'Bearer x' },
      { authorization: `Bearer svc-${'0'.repeat(64)}` },
      { authorization: `Bearer ${'f'.repeat(64)}` },
      { 'x-api-key': "' OR 1=1 --" },
      { cookie: 'session=; token=' },
    ])
      expect(await world.authenticate(headers)).toBeUndefined()
  })

  it('has the credentials that were extracted already', async () => {
    const { authenticator } = createServices({ sharedKeys: ['shared'] })
    const credential = { carrier: 'x-api-key', value: 'shared' } as const
    expect(await authenticator.authenticate({}, [credential])).toMatchObject({ principal: { kind: 'legacy' } })
    expect(await authenticator.authenticate({ 'x-api-key': 'shared' }, [])).toBeUndefined()
  })

  it('with a header is not looked for in cookies', async () => {
    const world = createServices()
    const { session } = await world.addMember('ada@site.example')
    expect(
      await world.authenticate({ authorization: 'Bearer wrong', cookie: `session=${session.token}` }),
    ).toBeUndefined()
  })

  it('with an ended session may have a key in the other cookie', async () => {
    const world = createServices()
    const { value } = await world.addMember('ada@site.example')
    const found = await world.authenticate({ cookie: `session=${'0'.repeat(64)}; token=${value}` })
    expect(found?.principal.via).toBe('api-key')
    expect(found?.credential !== undefined && isCookie(found.credential)).toBe(true)
  })

  it('with a shared key is an admin, after sessions and user keys', async () => {
    const shared = `svc-${'a'.repeat(64)}`
    const world = createServices({ sharedKeys: ['shared', shared] })
    expect((await world.authenticate({ 'x-api-key': 'shared' }))?.principal).toMatchObject({
      kind: 'legacy',
      id: 'legacy-api-key',
      role: 'admin',
      via: 'shared-key',
    })
    expect((await world.authenticate({ authorization: `Bearer ${shared}` }))?.principal.kind).toBe('legacy')
    expect(await world.authenticate({ cookie: 'session=shared' })).toBeUndefined()
    world.sharedKeys.replace(['other'])
    expect(await world.authenticate({ 'x-api-key': 'shared' })).toBeUndefined()
  })

  it('is local where nothing is configured', async () => {
    const world = createServices({ hasAccounts: false })
    expect(world.authenticator.isConfigured).toBe(false)
    expect((await world.authenticate({}))?.principal).toMatchObject({ kind: 'local', role: 'admin' })
    world.sharedKeys.replace(['shared'])
    expect(world.authenticator.isConfigured).toBe(true)
    expect(await world.authenticate({})).toBeUndefined()
  })

  it('with a user key is nobody where accounts are off', async () => {
    const world = createServices({ hasAccounts: false, sharedKeys: ['shared'] })
    const { value, session } = await world.addMember('ada@site.example')
    expect(await world.authenticate({ 'x-api-key': value })).toBeUndefined()
    expect(await world.authenticate({ cookie: `session=${session.token}` })).toBeUndefined()
  })

  it('has the rights of the account as it is now', async () => {
    const world = createServices()
    await addUser(world.stores, 'first@site.example')
    const { user, value } = await world.addMember('ada@site.example', {
      user: { features: { chat: false }, allowedModels: { enabled: true, models: ['a'] } },
    })
    await world.stores.quotas.putRule(
      { id: 'q', userId: user.id, model: '', maxRequests: 1, maxTokens: undefined, windowMs: HOUR, createdAt: 0 },
      call,
    )
    const asUser = await world.authenticate({ 'x-api-key': value })
    expect([...(asUser?.principal.models ?? [])]).toEqual(['a'])
    expect(asUser?.principal.features?.has('chat')).toBe(false)
    expect(asUser?.principal.quotas).toHaveLength(1)
    await world.accounts.setRole(user.id, { role: 'admin', actorId: undefined }, call)
    const asAdmin = await world.authenticate({ 'x-api-key': value })
    expect(asAdmin?.principal).toMatchObject({ role: 'admin', models: undefined, features: undefined, quotas: [] })
  })
})

describe('a session', () => {
  it('AU-6: rotates after an hour; 50 parallel requests across that see no refusal', async () => {
    const world = createServices()
    const { session } = await world.addMember('ada@site.example')
    const headers = { cookie: `session=${session.token}` }
    expect((await world.authenticate(headers))?.isRotationDue).toBe(false)
    await world.clock.advance(HOUR)
    const found = await Promise.all(Array.from({ length: 50 }, () => world.authenticate(headers)))
    expect(found.every((one) => one?.isRotationDue)).toBe(true)
    const rotated = await Promise.all(
      found.flatMap((one) => (one === undefined ? [] : [world.sessions.rotate(one, call)])),
    )
    const issued = rotated.filter((one) => one !== undefined)
    expect(issued).toHaveLength(1)
    expect(issued[0]?.expiresAt).toBe(session.expiresAt)
    const next = { cookie: `session=${issued[0]?.token}` }
    await world.clock.advance(59_999)
    expect(await world.authenticate(headers), 'the value before').toBeDefined()
    expect((await world.authenticate(headers))?.isRotationDue).toBe(false)
    await world.clock.advance(1001)
    expect(await world.authenticate(headers)).toBeUndefined()
    expect((await world.authenticate(next))?.isRotationDue).toBe(false)
  })

  it('as bearer does not rotate', async () => {
    const world = createServices()
    const { session } = await world.addMember('ada@site.example')
    await world.clock.advance(2 * HOUR)
    expect((await world.authenticate({ authorization: `Bearer ${session.token}` }))?.isRotationDue).toBe(false)
  })

  it('ends after 30 days, whatever happens', async () => {
    const world = createServices()
    const { session } = await world.addMember('ada@site.example')
    const headers = { cookie: `session=${session.token}` }
    await world.clock.advance(30 * 24 * HOUR - 500)
    expect(await world.authenticate(headers)).toBeDefined()
    await world.clock.advance(500)
    expect(await world.authenticate(headers), 'although it was verified half a second ago').toBeUndefined()
  })

  it('AU-8: of a user key has its limits, and ends with it', async () => {
    const world = createServices()
    const { user } = await world.addMember('ada@site.example')
    const draft = { name: 'narrow', scopes: { routes: ['chat'] }, expiresIn: '2h' }
    const { key, value } = await world.apiKeys.createFor(user, draft, call)
    const byKey = await world.authenticate({ 'x-api-key': value })
    const session = await world.sessions.exchange(byKey as Authentication, call)
    expect(session.expiresAt).toBe(world.clock.now() + 2 * HOUR)
    const headers = { cookie: `session=${session.token}` }
    const found = await world.authenticate(headers)
    expect(found?.principal).toMatchObject({ via: 'session', scopes: { routes: ['chat'] } })
    await expect(world.apiKeys.create(found?.principal ?? expect.fail(), { name: 'wide' }, call)).rejects.toMatchObject(
      { kind: 'forbidden' },
    )
    await world.apiKeys.revoke({ id: key.id, userId: user.id }, call)
    expect(await world.authenticate(headers)).toBeUndefined()
  })

  it('AU-8: of a shared key ends with it, and holds nothing of it', async () => {
    const world = createServices({ sharedKeys: ['one', 'two'] })
    const byKey = await world.authenticate({ 'x-api-key': 'two' })
    const session = await world.sessions.exchange(byKey as Authentication, call)
    const headers = { cookie: `session=${session.token}` }
    expect((await world.authenticate(headers))?.principal).toMatchObject({
      kind: 'legacy',
      via: 'session',
      role: 'admin',
    })
    world.sharedKeys.replace(['one'])
    world.revocations.publish({ kind: 'all' })
    expect(await world.authenticate(headers)).toBeUndefined()
  })

  it('is not made out of a session', async () => {
    const world = createServices()
    const { session } = await world.addMember('ada@site.example')
    const found = await world.authenticate({ cookie: `session=${session.token}` })
    await expect(world.sessions.exchange(found as Authentication, call)).rejects.toMatchObject({
      kind: 'unauthenticated',
      message: 'invalid token',
    })
  })
})

/** Stores whose look-ups are counted, and can be away. */
function watchStores(stores: Stores) {
  const seen = { lookUps: 0, isAway: false }
  const watched: Stores = {
    ...stores,
    apiKeys: {
      ...stores.apiKeys,
      async findByHash(hash, options) {
        seen.lookUps += 1
        if (seen.isAway) throw new SvcError('unavailable', 'away', { retryAfterMs: 1000 })
        return stores.apiKeys.findByHash(hash, options)
      },
    },
  }
  return { seen, watched }
}

describe('a credential that was verified', () => {
  it('less than a second ago does not wait for a store; callers at once share a look-up', async () => {
    const { seen, watched } = watchStores(createMemoryStores())
    const world = createServices({ stores: watched })
    const { value } = await world.addMember('ada@site.example')
    const headers = { 'x-api-key': value }
    await Promise.all(Array.from({ length: 20 }, () => world.authenticate(headers)))
    expect(seen.lookUps).toBe(1)
    seen.isAway = true
    await world.clock.advance(999)
    const known = world.authenticator.authenticate(headers)
    expect(known).not.toBeInstanceOf(Promise)
    await world.clock.advance(1)
    await expect(world.authenticate(headers), 'no verdict while the store is away').rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterMs: 1000,
    })
    seen.isAway = false
    expect(await world.authenticate(headers)).toBeDefined()
  })

  it('REL-8: goes on during an outage where the operator allows it, until it is revoked', async () => {
    const { seen, watched } = watchStores(createMemoryStores())
    const world = createServices({ stores: watched, outageGraceMs: 60_000 })
    const { user, key, value } = await world.addMember('ada@site.example')
    const headers = { 'x-api-key': value }
    await world.authenticate(headers)
    seen.isAway = true
    await world.clock.advance(59_000)
    expect((await world.authenticate(headers))?.principal.id).toBe(user.id)
    await world.apiKeys.revoke({ id: key.id, userId: user.id }, call)
    await expect(world.authenticate(headers)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('is forgotten when it was wrong: it pushes no right one out', async () => {
    const { seen, watched } = watchStores(createMemoryStores())
    const world = createServices({ stores: watched })
    const wrong = { 'x-api-key': `svc-${'0'.repeat(64)}` }
    await world.authenticate(wrong)
    await world.authenticate(wrong)
    expect(seen.lookUps).toBe(2)
  })
})

describe('AU-7: rights that end', () => {
  it('end with the next request', async () => {
    const world = createServices()
    await addUser(world.stores, 'first@site.example')
    const { user, key, value, session } = await world.addMember('ada@site.example')
    const [byKey, bySession] = [{ 'x-api-key': value }, { cookie: `session=${session.token}` }]
    const both = async () => [await world.authenticate(byKey), await world.authenticate(bySession)]
    const alive = async () => (await both()).map((found) => found !== undefined)
    expect(await alive()).toEqual([true, true])
    await world.accounts.setStatus(user.id, { status: 'disabled', actorId: undefined }, call)
    expect(await alive()).toEqual([false, false])
    await world.accounts.setStatus(user.id, { status: 'active', actorId: undefined }, call)
    expect(await alive()).toEqual([true, true])
    await world.sessions.end(session.sessionId, call)
    expect(await alive()).toEqual([true, false])
    await world.apiKeys.revoke({ id: key.id, userId: user.id }, call)
    expect(await alive()).toEqual([false, false])
  })

  it('end for connections that stay open, which survive a rotation', async () => {
    const world = createServices({ sharedKeys: ['shared'] })
    await addUser(world.stores, 'first@site.example')
    const { user, value, session } = await world.addMember('ada@site.example')
    const open = [
      await world.authenticate({ 'x-api-key': value }),
      await world.authenticate({ cookie: `session=${session.token}` }),
      await world.authenticate({ 'x-api-key': 'shared' }),
    ] as Authentication[]
    const recheck = () => Promise.all(open.map((one) => world.authenticator.recheck(one, call)))
    await world.clock.advance(HOUR)
    await world.sessions.rotate(open[1] as Authentication, call)
    await world.clock.advance(120_000)
    expect((await recheck()).map((one) => one?.principal.role)).toEqual(['user', 'user', 'admin'])
    await world.accounts.setRole(user.id, { role: 'admin', actorId: undefined }, call)
    expect((await recheck()).map((one) => one?.principal.role)).toEqual(['admin', 'admin', 'admin'])
    await world.accounts.remove(user.id, { actorId: undefined }, call)
    world.sharedKeys.replace([])
    expect(await recheck()).toEqual([undefined, undefined, undefined])
  })

  it('are told to subscribers, those that another process has ended too', async () => {
    const stores = createMemoryStores()
    const [here, there] = [createServices({ stores }), createServices({ stores })]
    await addUser(stores, 'first@site.example')
    const { user, value } = await here.addMember('ada@site.example')
    const told: unknown[] = []
    const unsubscribe = here.revocations.subscribe((revocation) => told.push(revocation))
    await using _ = createRightsWatch({ rights: stores.rights, revocations: here.revocations, clock: here.clock })
    await here.clock.waitForSleepers(1)
    expect(await here.authenticate({ 'x-api-key': value })).toBeDefined()
    await there.accounts.setStatus(user.id, { status: 'disabled', actorId: undefined }, call)
    expect(told).toEqual([])
    await here.clock.advance(500)
    expect(told).toEqual([{ kind: 'all' }])
    expect(await here.authenticate({ 'x-api-key': value })).toBeUndefined()
    await here.clock.advance(500)
    unsubscribe()
    await there.accounts.setStatus(user.id, { status: 'active', actorId: undefined }, call)
    await here.clock.advance(500)
    expect(told).toHaveLength(1)
  })

  it('are watched for again when the store was away', async () => {
    const stores = createMemoryStores()
    const world = createServices({ stores })
    let failures = 2
    const rights = {
      async revision() {
        if (failures > 0) {
          failures -= 1
          throw new SvcError('unavailable', 'away')
        }
        return stores.rights.revision(call)
      },
    }
    const warnings: string[] = []
    const logger = { debug() {}, info() {}, error() {}, warn: (_: unknown, message: string) => warnings.push(message) }
    const told: unknown[] = []
    world.revocations.subscribe((revocation) => told.push(revocation))
    await using _ = createRightsWatch({ rights, revocations: world.revocations, clock: world.clock, logger })
    await world.clock.waitForSleepers(1)
    await world.clock.advance(1500)
    const { user, key } = await world.addMember('ada@site.example')
    await stores.apiKeys.remove({ id: key.id, userId: user.id }, call)
    await world.clock.advance(500)
    expect(told).toEqual([{ kind: 'all' }])
    expect(warnings).toEqual(['revocations of others cannot be read'])
  })
})

describe('a watch over a store that tells of changes', () => {
  function startWatch(revision: () => Promise<number>, listen?: (onChange: () => void) => Promise<void>) {
    const world = createServices()
    const told: unknown[] = []
    const warnings: string[] = []
    const logger = { debug() {}, info() {}, error() {}, warn: (_: unknown, message: string) => warnings.push(message) }
    world.revocations.subscribe((revocation) => told.push(revocation))
    let tell = (): void => undefined
    const rights = {
      revision,
      listen:
        listen ??
        (async (onChange: () => void) => {
          tell = onChange
        }),
    }
    const watch = createRightsWatch({ rights, revocations: world.revocations, clock: world.clock, logger })
    return { told, warnings, watch, clock: world.clock, tell: () => tell() }
  }

  it('looks at once, and not before the interval when nothing has changed', async () => {
    let revision = 1
    const { told, clock, watch, tell } = startWatch(async () => revision)
    await clock.waitForSleepers(1)
    revision = 2
    tell()
    await expect.poll(() => told).toEqual([{ kind: 'all' }])
    tell()
    await clock.waitForSleepers(1)
    revision = 3
    await clock.advance(499)
    expect(told).toHaveLength(1)
    await clock.advance(1)
    await expect.poll(() => told).toHaveLength(2)
    await watch.close()
  })

  it('looks again when it is told while it looks', async () => {
    const looks = [createDeferred<number>(), createDeferred<number>(), createDeferred<number>()]
    let count = 0
    const { told, clock, watch, tell } = startWatch(async () => looks[count++]?.promise ?? 2)
    tell()
    looks[0]?.resolve(1)
    await expect.poll(() => count).toBe(2)
    tell()
    tell()
    looks[1]?.resolve(1)
    await expect.poll(() => count).toBe(3)
    looks[2]?.resolve(2)
    await expect.poll(() => told).toHaveLength(1)
    await clock.waitForSleepers(1)
    expect(count).toBe(3)
    await watch.close()
  })

  it('asks at each interval where the store cannot tell after all', async () => {
    let revision = 1
    const { told, clock, warnings, watch } = startWatch(
      async () => revision,
      () => Promise.reject(new Error('no channel')),
    )
    await clock.waitForSleepers(1)
    revision = 2
    await clock.advance(500)
    await expect.poll(() => told).toHaveLength(1)
    expect(warnings).toEqual(['revocations of others are found by asking alone'])
    await watch.close()
  })
})

describe('a user key', () => {
  it('is made with a session alone, and shown once', async () => {
    const world = createServices()
    const { user, session, value } = await world.addMember('ada@site.example')
    const bySession = await world.authenticate({ cookie: `session=${session.token}` })
    const made = await world.apiKeys.create(bySession?.principal ?? expect.fail(), { name: ' ci ' }, call)
    expect(made.value).toMatch(/^svc-[0-9a-f]{64}$/)
    expect(made.key).toMatchObject({ name: 'ci', prefix: made.value.slice(0, 12), role: 'admin', userId: user.id })
    const byKey = await world.authenticate({ 'x-api-key': value })
    await expect(world.apiKeys.create(byKey?.principal ?? expect.fail(), { name: 'x' }, call)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'session_required',
    })
  })

  it('ends by its expiry', async () => {
    const world = createServices()
    const { user } = await world.addMember('ada@site.example')
    const { value } = await world.apiKeys.createFor(user, { name: 'x', expiresIn: '1h30m' }, call)
    await world.clock.advance(90 * 60_000 - 1)
    expect(await world.authenticate({ 'x-api-key': value })).toBeDefined()
    await world.clock.advance(1)
    expect(await world.authenticate({ 'x-api-key': value })).toBeUndefined()
  })

  it('notes its last use', async () => {
    const world = createServices()
    const { user, key, value } = await world.addMember('ada@site.example')
    await world.authenticate({ 'x-api-key': value })
    await world.lastUse.flush(call)
    const [listed] = await world.apiKeys.list(user.id, { limit: 10 }, call)
    expect([listed?.id, listed?.lastUsedAt]).toEqual([key.id, world.clock.now()])
  })

  it.each([
    [{ name: '' }, 'name is required'],
    [{ name: 7 }, 'name is required'],
    [{ name: 'a\0b' }, 'name holds characters that cannot be stored'],
    [{ name: 'a\ud800' }, 'name holds characters that cannot be stored'],
    [{ name: 'x'.repeat(1_000_000) }, 'name is longer than 200 characters'],
    [{ name: 'x', expiresAt: 'tomorrow' }, 'invalid expiresAt format, use RFC3339'],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt is in the past'],
    [{ name: 'x', expiresAt: '99999-01-01T00:00:00Z' }, 'invalid expiresAt format, use RFC3339'],
    [{ name: 'x', expiresIn: '-5d' }, 'invalid expiresIn format'],
    [{ name: 'x', expiresIn: 5 }, 'invalid expiresIn format'],
    [{ name: 'x', expiresIn: '5d', expiresAt: '2099-01-01T00:00:00Z' }, 'give expiresIn or expiresAt, not both'],
    [{ name: 'x', expiresIn: '5d', expiresAt: 'tomorrow' }, 'give expiresIn or expiresAt, not both'],
    [{ name: 'x', expiresIn: 5, expiresAt: 7 }, 'give expiresIn or expiresAt, not both'],
    [{ name: 'x', scopes: { routes: 'chat' } }, 'scopes.routes must be a list of names'],
    [{ name: 'x', scopes: { models: [7] } }, 'scopes.models is required'],
    [{ name: 'x', scopes: { routes: ['chat', 'chats'] } }, 'scopes.routes: there is no group "chats"; known: general'],
    [{ name: 'x', scopes: { routes: ['Chat'] } }, 'scopes.routes: there is no group "Chat"'],
    [{ name: 'x', scopes: { routes: ['/v1/chat/completions'] } }, 'scopes.routes: there is no group "/v1/chat'],
    [{ name: 'x', scopes: { routes: ['constructor'] } }, 'scopes.routes: there is no group "constructor"'],
  ])('of %j is refused', async (draft, message) => {
    const world = createServices()
    const { user } = await world.addMember('ada@site.example')
    await expect(world.apiKeys.createFor(user, draft, call)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining(message),
    })
  })

  // verifies auth-api:keys:one-expiry
  it('takes one expiry, and nothing for the other', async () => {
    const world = createServices()
    const { user } = await world.addMember('ada@site.example')
    for (const nothing of [undefined, null, '']) {
      const drafts = [
        { expiresIn: '1d', expiresAt: nothing },
        { expiresAt: '2099-01-01T00:00:00Z', expiresIn: nothing },
      ]
      for (const draft of drafts) {
        const { key } = await world.apiKeys.createFor(user, { name: 'x', ...draft }, call)
        expect(key.expiresAt).toBeGreaterThan(0)
      }
      const { key } = await world.apiKeys.createFor(user, { name: 'x', expiresIn: nothing, expiresAt: nothing }, call)
      expect(key.expiresAt).toBeUndefined()
    }
  })

  it('of another account looks like none', async () => {
    const world = createServices()
    const { key } = await world.addMember('ada@site.example')
    const { user } = await world.addMember('bob@site.example')
    for (const id of [key.id, 'none'])
      await expect(world.apiKeys.revoke({ id, userId: user.id }, call)).rejects.toMatchObject({
        kind: 'not_found',
        message: 'API key not found',
      })
  })
})
