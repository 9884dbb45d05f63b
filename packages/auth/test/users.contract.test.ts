import { describe, expect, it } from 'vitest'
import { listPlaces } from './places.ts'
import { addUser, call, EMPTY_KEY, registration } from './world.ts'

const places = await listPlaces()
const HOUR = 3_600_000

describe.each(places)('accounts in $name', ({ open }) => {
  it('are seen with their keys and sessions', async () => {
    await using place = await open()
    const { users, sessions, apiKeys } = place.stores
    const [ada, bob, cid] = [
      await addUser(place.stores, 'ada@site.example'),
      await addUser(place.stores, 'bob@site.example'),
      await addUser(place.stores, 'cid@site.example'),
    ]
    const nothing = { sharedKeyHash: undefined, apiKeyId: undefined, providerSession: undefined }
    const session = { ...nothing, userId: ada.id, createdAt: 1, expiresAt: HOUR }
    for (const [id, rotatedAt] of [
      ['s1', 50],
      ['s2', 20],
    ] as const)
      await sessions.create({ ...session, id, hash: id, rotatedAt }, { ...call, maxSessions: 9 })
    const key = { name: 'k', prefix: 'p', ...EMPTY_KEY, role: 'user', scopes: {}, createdAt: 1 } as const
    for (const [id, userId] of [
      ['k1', ada.id],
      ['k2', bob.id],
      ['k3', cid.id],
    ] as const)
      await apiKeys.create(
        { ...key, id, userId, hash: id, expiresAt: undefined, lastUsedAt: undefined },
        { ...call, maxKeys: 9 },
      )
    await apiKeys.touch(
      [
        { id: 'k1', at: 30 },
        { id: 'k2', at: 70 },
      ],
      call,
    )
    const ids = [ada.id, bob.id, cid.id, 'nobody', ...Array.from({ length: 1200 }, (_, index) => `id${index}`)]
    expect(new Map(await users.readLastSeen(ids, call))).toEqual(
      new Map([
        [ada.id, 50],
        [bob.id, 70],
      ]),
    )
    expect((await users.readLastSeen([], call)).size).toBe(0)
  })

  it('make the first one an admin, and the second a user', async () => {
    await using place = await open()
    const { users } = place.stores
    expect(await users.hasUsers(call)).toBe(false)
    expect(await users.register(registration('ada@site.example'), call)).toMatchObject({
      kind: 'created',
      isFirst: true,
      user: { role: 'admin', status: 'active', approved: true, email: 'ada@site.example' },
    })
    expect(await users.register(registration('bob@site.example'), call)).toMatchObject({
      kind: 'created',
      isFirst: false,
      user: { role: 'user', status: 'active', approved: false },
    })
    expect(await users.hasUsers(call)).toBe(true)
    expect(await users.register(registration('bob@site.example', { user: { id: 'other' } }), call)).toEqual({
      kind: 'taken',
    })
    expect((await users.list({ limit: 10 }, call)).map(({ email }) => email)).toEqual([
      'ada@site.example',
      'bob@site.example',
    ])
  })

  it('AU-13: have one admin out of 100 who come at once, over two connections', async () => {
    await using place = await open()
    const other = await place.openSecond()
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? place.stores : other).users.register(registration(`u${index}@site.example`), call),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.kind === 'created' && outcome.user.role === 'admin')).toHaveLength(1)
    const stored = await place.stores.users.list({ limit: 1000 }, call)
    expect(stored.filter(({ role }) => role === 'admin')).toHaveLength(1)
    expect(stored).toHaveLength(100)
  })

  it('AU-13: let one in out of 50 with the same invite', async () => {
    await using place = await open()
    const { stores } = place
    await addUser(stores, 'ada@site.example')
    const invite = {
      id: 'i',
      hash: 'h',
      prefix: 'p',
      ...EMPTY_KEY,
      note: '',
      createdBy: 'id-of-ada@site.example',
      createdAt: 1,
      expiresAt: HOUR,
    }
    await stores.invites.create(invite, call)
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        stores.users.register(registration(`u${index}@site.example`, { mode: 'invite', inviteHash: 'h' }), call),
      ),
    )
    expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(1)
    expect(outcomes.filter(({ kind }) => kind === 'invalid-invite')).toHaveLength(49)
    const [used] = await stores.invites.list({ limit: 10 }, call)
    expect(used).toMatchObject({ usedAt: 1000, createdBy: { name: 'ada@site.example' } })
    expect(used?.usedBy?.name).toMatch(/^u\d+@site\.example$/)
    expect(await stores.invites.revoke('i', call)).toBe('used')
  })

  it('follow the modes of registration', async () => {
    await using place = await open()
    const { stores } = place
    await addUser(stores, 'ada@site.example')
    const invite = { id: 'i', hash: 'h', prefix: 'p', note: '', createdBy: undefined, createdAt: 1, expiresAt: HOUR }
    await stores.invites.create(invite, call)
    const ask = (email: string, changes: Parameters<typeof registration>[1]) =>
      stores.users.register(registration(email, changes), call)
    expect(await ask('b@site.example', { mode: 'approval' })).toMatchObject({ user: { status: 'pending' } })
    for (const changes of [{ inviteHash: 'wrong' }, { inviteHash: 'h', now: HOUR }])
      expect(await ask('c@site.example', { mode: 'approval', ...changes })).toEqual({ kind: 'invalid-invite' })
    expect(await stores.users.findLocal('c@site.example', call)).toBeUndefined()
    expect(await ask('d@site.example', { mode: 'invite' })).toEqual({ kind: 'invite-required' })
    expect(await ask('d@site.example', { mode: 'invite', inviteHash: 'h', now: HOUR })).toEqual({
      kind: 'invalid-invite',
    })
    expect(await stores.users.findLocal('d@site.example', call)).toBeUndefined()
    expect(await ask('e@site.example', { mode: 'open', inviteHash: 'h' })).toMatchObject({ user: { status: 'active' } })
    expect(await stores.invites.isValid({ hash: 'h', now: 1000 }, call), 'open uses no invite up').toBe(true)
    expect(await ask('f@site.example', { mode: 'approval', inviteHash: 'h' })).toMatchObject({
      user: { status: 'active', role: 'user', approved: true },
    })
    expect(await stores.invites.isValid({ hash: 'h', now: 1000 }, call)).toBe(false)
    expect(await ask('h@site.example', { mode: 'approval', inviteHash: 'h' }), 'used').toEqual({
      kind: 'invalid-invite',
    })
    expect(await ask('g@site.example', { mode: 'invite', isAdmin: true })).toMatchObject({
      user: { status: 'active', role: 'admin' },
    })
  })

  it('keep what is stored, exactly', async () => {
    await using place = await open()
    const { users } = place.stores
    const stored = await addUser(place.stores, 'ada@site.example', {
      user: {
        name: "Ada 'O' %_\\ \u{1F600} \u202e;--",
        features: { chat: false, agents: true },
        allowedModels: { enabled: true, models: ['a"b', 'ü'] },
        createdAt: 253402300799999,
      },
    })
    expect(await users.findById(stored.id, call)).toEqual(stored)
    expect(await users.findLocal('ada@site.example', call)).toEqual({ user: stored, passwordHash: 'hash' })
    expect(await users.findBySubject({ provider: 'local', subject: 'ada@site.example' }, call)).toEqual(stored)
    expect(await users.findBySubject({ provider: 'oidc', subject: 'ada@site.example' }, call)).toBeUndefined()
    expect(await users.findById("' OR 1=1 --", call)).toBeUndefined()
  })

  it('change, and raise the revision of rights', async () => {
    await using place = await open()
    const { users, rights } = place.stores
    await addUser(place.stores, 'ada@site.example')
    const { id } = await addUser(place.stores, 'bob@site.example', { mode: 'approval' })
    let revision = await rights.revision(call)
    const rises = async (): Promise<boolean> => {
      const before = revision
      revision = await rights.revision(call)
      return revision > before
    }
    expect(await users.setStatus(id, { status: 'active', now: 2 }, call)).toBe('changed')
    expect(await rises()).toBe(true)
    expect(await users.setRole(id, { role: 'admin', now: 3 }, call)).toBe('changed')
    expect(await rises()).toBe(true)
    expect(await users.setProfile(id, { name: 'Bob', avatarUrl: 'a', now: 4 }, call)).toBe(true)
    expect(await users.setFeatures(id, { features: { chat: false }, now: 5 }, call)).toBe(true)
    expect(await rises()).toBe(true)
    expect(await users.setAllowedModels(id, { allowedModels: { enabled: true, models: ['m'] }, now: 6 }, call)).toBe(
      true,
    )
    expect(await rises()).toBe(true)
    expect(await users.findById(id, call)).toMatchObject({
      name: 'Bob',
      avatarUrl: 'a',
      role: 'admin',
      status: 'active',
      approved: true,
      features: { chat: false },
      allowedModels: { enabled: true, models: ['m'] },
      updatedAt: 6,
    })
    for (const outcome of [
      await users.setRole('none', { role: 'admin', now: 1 }, call),
      await users.setStatus('none', { status: 'active', now: 1 }, call),
      await users.remove('none', call),
    ])
      expect(outcome).toBe('missing')
    expect(await rises()).toBe(false)
  })

  it('tell other processes of changed rights at once, if the database can, and of nothing that failed', async () => {
    await using place = await open()
    const other = await place.openSecond()
    const heard: number[] = []
    const { rights } = other
    if (rights.listen === undefined) return
    await rights.listen(() => heard.push(heard.length))
    const { users, apiKeys, sessions, quotas } = place.stores
    await addUser(place.stores, 'ada@site.example')
    const { id } = await addUser(place.stores, 'bob@site.example')
    const key = {
      id: 'k',
      userId: id,
      name: 'k',
      prefix: 'p',
      ...EMPTY_KEY,
      role: 'user',
      scopes: {},
      createdAt: 1,
    } as const
    await apiKeys.create({ ...key, hash: 'h', expiresAt: undefined, lastUsedAt: undefined }, { ...call, maxKeys: 9 })
    const rule = { id: 'q', userId: id, model: '', maxRequests: 1, maxTokens: undefined, windowMs: HOUR, createdAt: 1 }
    const changes: readonly (() => Promise<unknown>)[] = [
      () => users.setRole(id, { role: 'admin', now: 1 }, call),
      () => users.setStatus(id, { status: 'disabled', now: 1 }, call),
      () => users.setFeatures(id, { features: { chat: false }, now: 1 }, call),
      () => users.setAllowedModels(id, { allowedModels: { enabled: true, models: [] }, now: 1 }, call),
      () => apiKeys.remove({ id: 'k', userId: id }, call),
      () => quotas.putRule(rule, call),
      () => users.remove(id, call),
    ]
    for (const change of changes) {
      const before = heard.length
      await change()
      await expect.poll(() => heard.length).toBe(before + 1)
    }
    const before = heard.length
    await users.setRole('nobody', { role: 'user', now: 1 }, call)
    await apiKeys.remove({ id: 'k', userId: id }, call)
    await sessions.remove('nobody', call)
    await quotas.putRule({ ...rule, id: 'last' }, call)
    await expect.poll(() => heard.length).toBe(before + 1)
  })

  it('never lose the last active admin, whoever asks at once', async () => {
    await using place = await open()
    const { users } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const bob = await addUser(place.stores, 'bob@site.example')
    expect(await users.setRole(ada.id, { role: 'user', now: 1 }, call)).toBe('last-admin')
    expect(await users.setStatus(ada.id, { status: 'disabled', now: 1 }, call)).toBe('last-admin')
    expect(await users.remove(ada.id, call)).toBe('last-admin')
    await users.setRole(bob.id, { role: 'admin', now: 1 }, call)
    const outcomes = await Promise.all([
      users.setRole(ada.id, { role: 'user', now: 2 }, call),
      users.remove(bob.id, call),
    ])
    expect([...outcomes].sort()).toEqual(['changed', 'last-admin'])
  })

  it('lose their sessions with their password', async () => {
    await using place = await open()
    const { users, sessions } = place.stores
    const ada = await addUser(place.stores, 'ada@site.example')
    const session = {
      id: 's',
      userId: ada.id,
      sharedKeyHash: undefined,
      apiKeyId: undefined,
      providerSession: undefined,
      hash: 'sh',
      createdAt: 1,
      rotatedAt: 1,
      expiresAt: HOUR,
    }
    await sessions.create(session, { ...call, maxSessions: 5 })
    expect(await users.replacePasswordHash(ada.id, { from: 'wrong', to: 'new' }, call)).toBe(false)
    expect(await users.replacePasswordHash(ada.id, { from: 'hash', to: 'new' }, call)).toBe(true)
    expect(await sessions.findByHash('sh', call)).toBeDefined()
    expect(await users.setPassword(ada.id, { passwordHash: 'x', from: 'hash', now: 2 }, call)).toBe(false)
    expect(await sessions.findByHash('sh', call)).toBeDefined()
    expect(await users.setPassword(ada.id, { passwordHash: 'newer', from: 'new', now: 2 }, call)).toBe(true)
    expect(await sessions.findByHash('sh', call)).toBeUndefined()
    expect((await users.findLocal('ada@site.example', call))?.passwordHash).toBe('newer')
  })

  it('take with them what is theirs, and leave the invites that they used', async () => {
    await using place = await open()
    const { stores } = place
    await addUser(stores, 'ada@site.example')
    const invite = {
      id: 'i',
      hash: 'h',
      prefix: 'p',
      ...EMPTY_KEY,
      note: '',
      createdBy: 'id-of-ada@site.example',
      createdAt: 1,
      expiresAt: HOUR,
    }
    await stores.invites.create(invite, call)
    const bob = await addUser(stores, 'bob@site.example', { mode: 'invite', inviteHash: 'h' })
    await stores.invites.create({ ...invite, id: 'own', hash: 'own', createdBy: bob.id }, call)
    const key = {
      id: 'k',
      userId: bob.id,
      name: 'laptop',
      prefix: 'svc-1',
      ...EMPTY_KEY,
      role: 'user' as const,
      scopes: {},
      createdAt: 1,
      expiresAt: undefined,
      lastUsedAt: undefined,
    }
    await stores.apiKeys.create({ ...key, hash: 'kh' }, { ...call, maxKeys: 5 })
    const record = {
      id: 'r',
      userId: bob.id,
      userName: 'Bob',
      source: 'web' as const,
      model: 'm',
      endpoint: '/',
      promptTokens: 1,
      completionTokens: 1,
      totalTokens: 2,
      durationMs: 1,
      createdAt: 1,
    }
    await stores.usage.append([record], call)
    const rule = {
      id: 'q',
      userId: bob.id,
      model: '',
      maxRequests: 1,
      maxTokens: undefined,
      windowMs: 10,
      createdAt: 1,
    }
    await stores.quotas.putRule(rule, call)
    const session = {
      sharedKeyHash: undefined,
      apiKeyId: undefined,
      providerSession: undefined,
      createdAt: 1,
      rotatedAt: 1,
      expiresAt: HOUR,
    }
    // The same of another account.
    const cid = await addUser(stores, 'cid@site.example')
    for (const [id, userId] of [
      ['of-bob', bob.id],
      ['of-cid', cid.id],
    ] as const) {
      await stores.sessions.create({ ...session, id, hash: id, userId }, { ...call, maxSessions: 5 })
      await stores.knownAddresses.note({ hash: id, userId, now: 1 }, { ...call, maxAddresses: 5 })
    }
    await stores.invites.create({ ...invite, id: 'of-cid', hash: 'of-cid', createdBy: cid.id }, call)
    const dan = await addUser(stores, 'dan@site.example', { mode: 'invite', inviteHash: 'of-cid' })
    await stores.apiKeys.create({ ...key, id: 'of-cid', userId: cid.id, hash: 'of-cid' }, { ...call, maxKeys: 5 })
    await stores.usage.append([{ ...record, id: 'of-cid', userId: cid.id, userName: 'Cid' }], call)
    await stores.quotas.putRule({ ...rule, id: 'of-cid', userId: cid.id }, call)
    expect(await stores.users.remove(bob.id, call)).toBe('changed')
    expect(await stores.apiKeys.findByHash('kh', call)).toBeUndefined()
    expect(await stores.apiKeys.findByHash('of-cid', call)).toBeDefined()
    expect(await stores.sessions.findByHash('of-bob', call)).toBeUndefined()
    expect(await stores.sessions.findByHash('of-cid', call)).toBeDefined()
    expect(await stores.knownAddresses.isKnown({ hash: 'of-bob', since: 0 }, call)).toBe(false)
    expect(await stores.knownAddresses.isKnown({ hash: 'of-cid', since: 0 }, call)).toBe(true)
    expect(await stores.quotas.listRules(bob.id, call)).toEqual([])
    expect((await stores.quotas.listRules(cid.id, call)).map(({ id }) => id)).toEqual(['of-cid'])
    const readUsage = () => stores.usage.group({ bucket: 'month', byModel: true }, { ...call, limit: 10 })
    expect(await readUsage()).toMatchObject([{ userId: cid.id, requests: 1 }])
    // The record is gone, so another one may have its id.
    await stores.usage.append([{ ...record, userId: cid.id, userName: 'Cid' }], call)
    expect(await readUsage()).toMatchObject([{ userId: cid.id, requests: 2 }])
    const invites = await stores.invites.list({ limit: 10 }, call)
    expect(invites.map(({ id, usedBy, usedAt }) => [id, usedBy?.id, usedAt]).sort()).toEqual([
      ['i', undefined, 1000],
      ['of-cid', dan.id, 1000],
    ])
  })

  it('come in pages', async () => {
    await using place = await open()
    for (let index = 0; index < 5; index += 1)
      await addUser(place.stores, `u${index}@site.example`, { user: { id: `${index}`, createdAt: index < 3 ? 1 : 2 } })
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await place.stores.users.list({ limit: 2, after }, call)
      seen.push(...page.map(({ id }) => id))
      after = page.at(-1)?.id
    } while (after !== undefined)
    expect(seen).toEqual(['0', '1', '2', '3', '4'])
    expect(await place.stores.users.list({ limit: 2, after: 'gone' }, call)).toEqual([])
  })
})
