import type { ApiKey, Session } from '@svc/auth/ports'
import { describe, expect, it } from 'vitest'
import { listPlaces } from './places.ts'
import { addUser, call, EMPTY_KEY } from './world.ts'

const places = await listPlaces()

function apiKey(
  id: string,
  userId: string | undefined,
  changes: Partial<ApiKey> = {},
): ApiKey & { readonly hash: string } {
  return {
    id,
    userId,
    name: `name-${id}`,
    prefix: 'svc-0123',
    ...EMPTY_KEY,
    role: 'user',
    scopes: {},
    createdAt: 1,
    expiresAt: undefined,
    lastUsedAt: undefined,
    hash: `hash-${id}`,
    ...changes,
  }
}

function session(id: string, userId: string | undefined, changes: Partial<Session> = {}): Session & { hash: string } {
  return {
    id,
    userId,
    sharedKeyHash: undefined,
    apiKeyId: undefined,
    providerSession: undefined,
    createdAt: 1,
    rotatedAt: 1,
    expiresAt: 1_000_000,
    hash: `hash-${id}`,
    ...changes,
  }
}

const keyOptions = { ...call, maxKeys: 3 }
const sessionOptions = { ...call, maxSessions: 3 }

describe.each(places)('keys in $name', ({ open }) => {
  it('are found with their owners, listed newest first, and removed by their owners alone', async () => {
    await using place = await open()
    const { apiKeys, rights } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const scopes = { routes: ['chat'], models: ['a', 'b'] }
    const { hash, ...key } = apiKey('k1', ada.id, { scopes, expiresAt: 500 })
    expect(await apiKeys.create({ ...key, hash }, keyOptions)).toBe(true)
    expect(await apiKeys.findByHash(hash, call)).toEqual({ key, user: ada, isCurrent: true })
    expect(await apiKeys.findById('k1', call)).toEqual({ key, user: ada, isCurrent: true })
    expect(await apiKeys.findByHash('none', call)).toBeUndefined()
    await apiKeys.create(apiKey('k2', ada.id, { createdAt: 2 }), keyOptions)
    expect((await apiKeys.listByUser(ada.id, { limit: 10 }, call)).map(({ id }) => id)).toEqual(['k2', 'k1'])
    expect((await apiKeys.listByUser(ada.id, { limit: 10, after: 'k2' }, call)).map(({ id }) => id)).toEqual(['k1'])
    expect(await apiKeys.listByUser('somebody', { limit: 10 }, call)).toEqual([])
    const before = await rights.revision(call)
    expect(await apiKeys.remove({ id: 'k1', userId: 'somebody' }, call)).toBe(false)
    expect(await rights.revision(call)).toBe(before)
    expect(await apiKeys.remove({ id: 'k1', userId: ada.id }, call)).toBe(true)
    expect(await rights.revision(call)).toBeGreaterThan(before)
    expect(await apiKeys.findByHash(hash, call)).toBeUndefined()
  })

  it('have a bound for each account, also for those that come at once, and none without an account', async () => {
    await using place = await open()
    const { apiKeys } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => apiKeys.create(apiKey(`k${index}`, ada.id), keyOptions)),
    )
    expect(made.filter(Boolean)).toHaveLength(3)
    expect(await apiKeys.create(apiKey('x', 'nobody'), keyOptions)).toBe(false)
  })

  it('of services have no account, a bound of their own also for those that come at once, and outlive accounts', async () => {
    await using place = await open()
    const { apiKeys, users } = place.stores
    await addUser(place.stores, 'root@site.example')
    const ada = await addUser(place.stores, 'ada@site.example')
    const { hash, ...key } = apiKey('s', undefined, { note: 'for the robot', createdBy: ada.id, createdAt: 0 })
    expect(await apiKeys.create({ ...key, hash }, keyOptions)).toBe(true)
    expect(await apiKeys.findByHash(hash, call)).toEqual({ key, user: undefined, isCurrent: true })
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => apiKeys.create(apiKey(`s${index}`, undefined), keyOptions)),
    )
    expect(made.filter(Boolean)).toHaveLength(2)
    await apiKeys.create(apiKey('own', ada.id), keyOptions)
    expect(await apiKeys.remove({ id: 's', userId: ada.id }, call), 'not a key of the account').toBe(false)
    expect(await apiKeys.remove({ id: 'own', userId: undefined }, call), 'not a key of a service').toBe(false)
    expect(await users.remove(ada.id, call)).toBe('changed')
    expect(await apiKeys.findById('own', call)).toBeUndefined()
    expect(await apiKeys.findById('s', call)).toMatchObject({ key: { id: 's', createdBy: ada.id } })
    expect(await apiKeys.remove({ id: 's', userId: undefined }, call)).toBe(true)
  })

  it('are listed for admins by owner, kind, block and text, a page at a time', async () => {
    await using place = await open()
    const { apiKeys } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const block = { by: 'admin', reason: 'leaked' } as const
    await apiKeys.create(apiKey('a', ada.id, { name: 'Laptop of Ada', createdAt: 1 }), keyOptions)
    await apiKeys.create(
      apiKey('b', undefined, { name: '100% robot_1', note: 'In the HALL', createdAt: 2 }),
      keyOptions,
    )
    await apiKeys.create(
      apiKey('c', undefined, { name: 'robots', prefix: 'svc-beef', block, createdAt: 2 }),
      keyOptions,
    )
    const list = async (filter: Parameters<typeof apiKeys.list>[0]) =>
      (await apiKeys.list(filter, call)).map(({ key: { id } }) => id)
    expect(await list({ limit: 9 })).toEqual(['c', 'b', 'a'])
    expect(await list({ limit: 2 })).toEqual(['c', 'b'])
    expect(await list({ limit: 9, after: 'b' })).toEqual(['a'])
    expect(await list({ limit: 9, after: 'gone' })).toEqual([])
    expect(await list({ limit: 9, isService: true })).toEqual(['c', 'b'])
    expect(await list({ limit: 9, isService: false })).toEqual(['a'])
    expect(await list({ limit: 9, after: 'b', isService: true })).toEqual([])
    expect(await list({ limit: 9, userId: ada.id })).toEqual(['a'])
    expect(await list({ limit: 9, isBlocked: true })).toEqual(['c'])
    expect(await list({ limit: 9, isBlocked: false })).toEqual(['b', 'a'])
    expect(await list({ limit: 9, text: 'LAPTOP' })).toEqual(['a'])
    expect(await list({ limit: 9, text: 'the hall' })).toEqual(['b'])
    expect(await list({ limit: 9, text: 'BEEF' })).toEqual(['c'])
    expect(await list({ limit: 9, text: '%' }), 'no wildcard').toEqual(['b'])
    expect(await list({ limit: 9, text: 't_1' }), 'no wildcard').toEqual(['b'])
    expect(await list({ limit: 9, text: '\\' })).toEqual([])
    expect((await apiKeys.list({ limit: 9, text: 'laptop' }, call))[0]?.user).toEqual(ada)
  })

  it('are edited by fields, and a block of an admin is left alone where it is asked for', async () => {
    await using place = await open()
    const { apiKeys, rights } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const { hash, ...key } = apiKey('k', ada.id, { scopes: { models: ['a'] }, expiresAt: 500 })
    await apiKeys.create({ ...key, hash }, keyOptions)
    const read = async () => (await apiKeys.findById('k', call))?.key
    const before = await rights.revision(call)
    const scopes = { addresses: ['192.0.2.0/24'] }
    expect(await apiKeys.edit(key, { name: 'other', scopes }, call)).toBe(true)
    expect(await read()).toEqual({ ...key, name: 'other', scopes })
    expect(await rights.revision(call)).toBeGreaterThan(before)
    await apiKeys.edit(key, { note: 'a note', expiresAt: undefined }, call)
    expect(await read()).toEqual({ ...key, name: 'other', scopes, note: 'a note', expiresAt: undefined })
    const careful = { ...call, keepsAdminBlock: true }
    const own = { by: 'owner', reason: '' } as const
    const admins = { by: 'admin', reason: 'leaked' } as const
    expect(await apiKeys.edit(key, { block: own }, careful)).toBe(true)
    expect(await apiKeys.edit(key, { block: undefined }, careful)).toBe(true)
    expect(await apiKeys.edit(key, { block: admins }, call)).toBe(true)
    for (const block of [own, undefined]) expect(await apiKeys.edit(key, { block }, careful)).toBe(false)
    expect((await read())?.block).toEqual(admins)
    expect(await apiKeys.edit(key, { block: undefined }, call)).toBe(true)
    expect((await read())?.block).toBeUndefined()
    const kept = await rights.revision(call)
    for (const userId of ['somebody', undefined])
      expect(await apiKeys.edit({ id: 'k', userId }, { note: 'x' }, call)).toBe(false)
    expect(await rights.revision(call)).toBe(kept)
  })

  it('are found by the value and the one before, and get one new value of those that come at once', async () => {
    await using place = await open()
    const { apiKeys, rights } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const key = apiKey('k', ada.id)
    await apiKeys.create(key, keyOptions)
    const before = await rights.revision(call)
    const rotate = (from: string, index: number | string, previousUntil = 90) =>
      apiKeys.rotate(key, { from, to: { hash: `new-${index}`, prefix: `p-${index}` }, now: 50, previousUntil }, call)
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => rotate(key.prefix, index)))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    expect(await rights.revision(call)).toBeGreaterThan(before)
    const winner = outcomes.indexOf(true)
    const rotated = { rotatedAt: 50, previousUntil: 90, prefix: `p-${winner}` }
    expect(await apiKeys.findByHash(`new-${winner}`, call)).toMatchObject({ isCurrent: true, key: rotated })
    expect(await apiKeys.findByHash('hash-k', call)).toMatchObject({ isCurrent: false, key: rotated })
    expect(await rotate(`p-${winner}`, 'second')).toBe(true)
    expect(await apiKeys.findByHash('hash-k', call), 'the oldest value').toBeUndefined()
    expect(await apiKeys.findByHash(`new-${winner}`, call)).toMatchObject({ isCurrent: false })
    expect(await rotate('p-second', 'third', 0)).toBe(true)
    expect(await apiKeys.findByHash('new-second', call), 'no grace').toBeUndefined()
    expect(await apiKeys.findByHash('new-third', call)).toMatchObject({ isCurrent: true, key: { previousUntil: 0 } })
    expect(
      await apiKeys.rotate(
        { id: 'k', userId: undefined },
        { from: 'p-third', to: key, now: 1, previousUntil: 2 },
        call,
      ),
    ).toBe(false)
  })

  it('note their last use, which never goes back', async () => {
    await using place = await open()
    const { apiKeys } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    await apiKeys.create(apiKey('a', ada.id), keyOptions)
    await apiKeys.create(apiKey('b', ada.id), keyOptions)
    await apiKeys.touch(
      [
        { id: 'a', at: 1_800_000_000_000 },
        { id: 'b', at: 20 },
        { id: 'gone', at: 30 },
      ],
      call,
    )
    await apiKeys.touch([{ id: 'a', at: 5 }], call)
    const uses = (await apiKeys.listByUser(ada.id, { limit: 9 }, call)).map(({ id, lastUsedAt }) => [id, lastUsedAt])
    expect(new Map(uses as [string, number][])).toEqual(
      new Map([
        ['a', 1_800_000_000_000],
        ['b', 20],
      ]),
    )
  })

  it('end by their expiry, a few at a time', async () => {
    await using place = await open()
    const { apiKeys } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    await apiKeys.create(apiKey('a', ada.id, { expiresAt: 10 }), keyOptions)
    await apiKeys.create(apiKey('b', ada.id, { expiresAt: 10 }), keyOptions)
    await apiKeys.create(apiKey('c', ada.id), keyOptions)
    expect(await apiKeys.removeExpired({ now: 9, limit: 10 }, call)).toBe(0)
    expect(await apiKeys.removeExpired({ now: 10, limit: 1 }, call)).toBe(1)
    expect(await apiKeys.removeExpired({ now: 10, limit: 10 }, call)).toBe(1)
    expect(await apiKeys.listByUser(ada.id, { limit: 10 }, call)).toHaveLength(1)
  })
})

describe.each(places)('sessions in $name', ({ open }) => {
  it('begin by a value that their key has, and end with the second rotation after it', async () => {
    await using place = await open()
    const { apiKeys, sessions } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const key = apiKey('k', ada.id)
    await apiKeys.create(key, keyOptions)
    const begin = (id: string, keyHash: string, changes: Partial<Session>) =>
      sessions.create(session(id, ada.id, { apiKeyId: 'k', ...changes }), { ...call, maxSessions: 9, keyHash })
    const rotate = (from: string, to: string, now: number) =>
      apiKeys.rotate(key, { from, to: { hash: to, prefix: to }, now, previousUntil: now + 40 }, call)
    expect(await begin('other', 'none', { createdAt: 5 })).toBe(false)
    expect(await begin('before', 'hash-k', { createdAt: 5 })).toBe(true)
    expect(await rotate(key.prefix, 'second', 50)).toBe(true)
    expect(await begin('during', 'hash-k', { createdAt: 60, expiresAt: 90 })).toBe(true)
    expect(await begin('late', 'hash-k', { createdAt: 90 })).toBe(false)
    expect(await begin('fresh', 'second', { createdAt: 60 })).toBe(true)
    const alive = async () => {
      const found = await Promise.all(['before', 'during', 'fresh'].map((id) => sessions.findById(id, call)))
      return found.map((one) => one !== undefined)
    }
    expect(await rotate('other', 'third', 70)).toBe(false)
    expect(await alive()).toEqual([true, true, true])
    expect(await rotate('second', 'third', 70)).toBe(true)
    expect(await alive()).toEqual([false, false, true])
  })

  it('are found by the value and the one before, and rotate once', async () => {
    await using place = await open()
    const { sessions } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    await sessions.create(session('s', ada.id), sessionOptions)
    const change = { id: 's', from: 'hash-s', to: 'second', now: 50, previousUntil: 60 }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sessions.rotate({ ...change, to: `to-${index}` }, call)),
    )
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    const winner = `to-${outcomes.indexOf(true)}`
    expect(await sessions.findByHash(winner, call)).toMatchObject({
      isCurrent: true,
      user: { id: ada.id },
      apiKey: undefined,
      session: { id: 's', rotatedAt: 50, expiresAt: 1_000_000 },
    })
    expect(await sessions.findByHash('hash-s', call)).toMatchObject({ isCurrent: false, previousUntil: 60 })
    expect(await sessions.findById('s', call)).toMatchObject({ session: { id: 's' } })
    expect(await sessions.findByHash('other', call)).toBeUndefined()
  })

  it('begin with a password only while the account has it, and none outlives its change', async () => {
    await using place = await open()
    const { sessions, users } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const begin = (id: string, passwordHash: string, userId: string | undefined = ada.id) =>
      sessions.create(session(id, userId), { ...sessionOptions, passwordHash })
    expect([await begin('right', 'hash'), await begin('wrong', 'other'), await begin('nobody', 'hash', 'x')]).toEqual([
      ...[true, false, false],
    ])
    expect([await sessions.findById('wrong', call), await sessions.findById('nobody', call)]).toEqual([
      ...[undefined, undefined],
    ])
    const ids = Array.from({ length: 20 }, (_, index) => `racing-${index}`)
    await Promise.all([
      ...ids.slice(0, 10).map((id) => begin(id, 'hash')),
      users.setPassword(ada.id, { passwordHash: 'new', now: 2 }, call),
      ...ids.slice(10).map((id) => begin(id, 'hash')),
    ])
    for (const id of ['right', ...ids]) expect(await sessions.findById(id, call), id).toBeUndefined()
    expect(await begin('after', 'new')).toBe(true)
  })

  it('stand for shared keys and user keys, and end with a user key', async () => {
    await using place = await open()
    const { sessions, apiKeys } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    await apiKeys.create(apiKey('k', ada.id), keyOptions)
    await sessions.create(session('shared', undefined, { sharedKeyHash: 'of-key' }), sessionOptions)
    await sessions.create(session('keyed', ada.id, { apiKeyId: 'k' }), sessionOptions)
    expect(await sessions.findById('shared', call)).toMatchObject({
      user: undefined,
      session: { sharedKeyHash: 'of-key' },
    })
    expect(await sessions.findById('keyed', call)).toMatchObject({ user: { id: ada.id }, apiKey: { id: 'k' } })
    await apiKeys.remove({ id: 'k', userId: ada.id }, call)
    expect(await sessions.findById('keyed', call)).toBeUndefined()
    expect(await sessions.findById('shared', call)).toBeDefined()
  })

  it('end one, others, by provider, and by expiry', async () => {
    await using place = await open()
    const { sessions, rights } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    await sessions.create(session('a', ada.id, { providerSession: 'sid' }), sessionOptions)
    await sessions.create(session('b', ada.id), sessionOptions)
    await sessions.create(session('c', ada.id, { expiresAt: 10 }), sessionOptions)
    const before = await rights.revision(call)
    expect(await sessions.removeByProvider({ userId: ada.id, providerSession: 'sid' }, call)).toBe(1)
    expect(await rights.revision(call)).toBeGreaterThan(before)
    expect(await sessions.removeByProvider({ userId: ada.id, providerSession: 'sid' }, call)).toBe(0)
    expect(await sessions.removeExpired({ now: 10, limit: 5 }, call)).toBe(1)
    await sessions.create(session('d', ada.id), sessionOptions)
    await sessions.rotate({ id: 'd', from: 'hash-d', to: 'new-d', now: 50, previousUntil: 60 }, call)
    expect(await sessions.removeByUser(ada.id, { ...call, except: 'd' })).toBe(1)
    expect(await sessions.findByHash('hash-d', call)).toBeUndefined()
    expect(await sessions.findByHash('new-d', call)).toMatchObject({ isCurrent: true })
    expect(await sessions.remove('d', call)).toBe(true)
    expect(await sessions.remove('d', call)).toBe(false)
  })

  it('have a bound for each owner: the oldest gives way', async () => {
    await using place = await open()
    const { sessions } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    await sessions.create(session('other', undefined, { sharedKeyHash: 'x' }), sessionOptions)
    for (let index = 0; index < 5; index += 1)
      await sessions.create(session(`s${index}`, ada.id, { createdAt: index }), sessionOptions)
    const alive = await Promise.all(['other', 's0', 's1', 's2', 's3', 's4'].map((id) => sessions.findById(id, call)))
    expect(alive.map((found) => found?.session.id)).toEqual(['other', undefined, undefined, 's2', 's3', 's4'])
  })
})

describe.each(places)('invites and sign-ins in $name', ({ open }) => {
  it('are revoked while they are unused', async () => {
    await using place = await open()
    const { invites } = place.stores
    const invite = { hash: 'h', prefix: 'p', note: '', createdBy: undefined, createdAt: 1, expiresAt: 100 }
    await invites.create({ ...invite, id: 'a' }, call)
    await invites.create({ ...invite, id: 'b', hash: 'h2', createdAt: 2 }, call)
    const listed = await invites.list({ limit: 10 }, call)
    expect(listed.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(listed[1]).toEqual({
      id: 'a',
      prefix: 'p',
      note: '',
      createdAt: 1,
      expiresAt: 100,
      createdBy: undefined,
      usedBy: undefined,
      usedAt: undefined,
    })
    expect((await invites.list({ limit: 10, after: 'b' }, call)).map(({ id }) => id)).toEqual(['a'])
    expect(await invites.isValid({ hash: 'h', now: 99 }, call)).toBe(true)
    expect(await invites.isValid({ hash: 'h', now: 100 }, call)).toBe(false)
    expect(await invites.revoke('a', call)).toBe('revoked')
    expect(await invites.revoke('a', call)).toBe('missing')
    expect(await invites.isValid({ hash: 'h', now: 99 }, call)).toBe(false)
  })

  it('consume a sign-in once, and bound those under way', async () => {
    await using place = await open()
    const { signIns } = place.stores
    const options = { ...call, maxRunning: 2 }
    expect(await signIns.begin({ hash: 'a', now: 1, expiresAt: 10 }, options)).toBe(true)
    expect(await signIns.begin({ hash: 'b', now: 1, expiresAt: 20 }, options)).toBe(true)
    expect(await signIns.begin({ hash: 'c', now: 1, expiresAt: 20 }, options)).toBe(false)
    expect(await signIns.begin({ hash: 'c', now: 10, expiresAt: 20 }, options), 'a has expired').toBe(true)
    expect(await signIns.consume({ hash: 'a', now: 10 }, call)).toBe(false)
    const taken = await Promise.all(Array.from({ length: 10 }, () => signIns.consume({ hash: 'b', now: 11 }, call)))
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect(await signIns.consume({ hash: 'c', now: 20 }, call)).toBe(false)
  })
})

describe.each(places)('addresses and tokens in $name', ({ open }) => {
  it('are known for an account since their last use, and bounded: the one used longest ago gives way', async () => {
    await using place = await open()
    const { knownAddresses } = place.stores
    const options = { ...call, maxAddresses: 2 }
    const note = (hash: string, now: number, userId = 'ada') => knownAddresses.note({ hash, userId, now }, options)
    const listKnown = async (since: number) => {
      const hashes = ['a', 'b', 'c', 'other']
      const known = await Promise.all(hashes.map((hash) => knownAddresses.isKnown({ hash, since }, call)))
      return hashes.filter((_, index) => known[index])
    }
    expect(await listKnown(0)).toEqual([])
    await note('other', 1, 'bob')
    await note('a', 2)
    await note('b', 3)
    await note('a', 4)
    expect([await listKnown(1), await listKnown(4), await listKnown(5)]).toEqual([['a', 'b', 'other'], ['a'], []])
    await note('c', 5)
    expect(await listKnown(0)).toEqual(['a', 'c', 'other'])
    expect(await knownAddresses.removeOld({ before: 5, limit: 1 }, call)).toBe(1)
    expect(await knownAddresses.removeOld({ before: 5, limit: 5 }, call)).toBe(1)
    expect(await listKnown(0)).toEqual(['c'])
  })

  it('are forgotten with the account, and with its password', async () => {
    await using place = await open()
    const { knownAddresses, users } = place.stores
    await addUser(place.stores, 'ada@site.example')
    const [bob, eve] = [
      await addUser(place.stores, 'bob@site.example'),
      await addUser(place.stores, 'eve@site.example'),
    ]
    for (const { id, email } of [bob, eve])
      await knownAddresses.note({ hash: email, userId: id, now: 1 }, { ...call, maxAddresses: 5 })
    await users.setPassword(bob.id, { passwordHash: 'new', now: 2 }, call)
    await users.remove(eve.id, call)
    for (const { email } of [bob, eve])
      expect(await knownAddresses.isKnown({ hash: email, since: 0 }, call)).toBe(false)
  })

  it('of an issuer are used once they were, until they expire, however many come at once', async () => {
    await using place = await open()
    const { usedTokens } = place.stores
    const isUsed = (hash: string, now: number) => usedTokens.isUsed({ hash, now }, call)
    expect(await isUsed('a', 1)).toBe(false)
    await Promise.all(Array.from({ length: 10 }, () => usedTokens.use({ hash: 'a', now: 1, expiresAt: 10 }, call)))
    expect([await isUsed('a', 9), await isUsed('a', 10), await isUsed('b', 9)]).toEqual([true, false, false])
    await usedTokens.use({ hash: 'b', now: 10, expiresAt: 20 }, call)
    expect([await isUsed('b', 19), await isUsed('a', 9)], 'a is removed').toEqual([true, false])
  })
})
