import type { Limit, Stores } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { listPlaces } from './places.ts'
import { createServices } from './service-world.ts'
import { addUser, call, EMPTY_KEY } from './world.ts'

const places = (await listPlaces()).filter(({ name }) => name !== 'memory')

describe.each(places)('G5: while $name is away', ({ open }) => {
  it('nothing is a verdict on who is calling, and shared keys go on', async () => {
    await using place = await open()
    const world = createServices({ stores: place.stores, sharedKeys: ['shared'] })
    const { user, key, value, session } = await world.addMember('ada@site.example')
    const found = await world.authenticate({ 'x-api-key': value })
    await world.clock.advance(1000)
    await place.stop()
    const attempts = {
      key: world.authenticate({ 'x-api-key': value }),
      'wrong key': world.authenticate({ 'x-api-key': `svc-${'0'.repeat(64)}` }),
      session: world.authenticate({ cookie: `session=${session.token}` }),
      recheck: found === undefined ? undefined : world.authenticator.recheck(found, call),
      login: world.accounts.login({ email: 'ada@site.example', password: 'wrong' }, call),
      register: addUser(place.stores, 'bob@site.example'),
      revoke: world.apiKeys.revoke({ id: key.id, userId: user.id }, call),
      quota: place.stores.quotas.apply({ requests: [], settlements: [], now: 0 }, call),
      usage: place.stores.usage.group({ bucket: 'day', byModel: true }, { ...call, limit: 5 }),
    }
    for (const [name, attempt] of Object.entries(attempts)) {
      const error: unknown = await Promise.resolve(attempt).catch((reason: unknown) => reason)
      expect(SvcError.is(error) && [error.kind, error.retryAfterMs], name).toEqual(['unavailable', 1000])
    }
    expect((await world.authenticate({ 'x-api-key': 'shared' }))?.principal.kind).toBe('legacy')
  })

  it('every call of every store says so, and none is done', async () => {
    await using place = await open()
    const { stores } = place
    const user = await addUser(stores, 'ada@site.example')
    await place.stop()
    const [{ id }, hash, limits] = [user, 'h', { now: 1, limit: 9 }]
    const lives = { createdAt: 1, expiresAt: 9 }
    const key = {
      id: 'k',
      userId: id,
      name: 'k',
      prefix: 'p',
      ...EMPTY_KEY,
      role: 'user',
      scopes: {},
      lastUsedAt: undefined,
    } as const
    const session = { id: 's', userId: id, sharedKeyHash: undefined, apiKeyId: undefined, providerSession: 'p' }
    const rule = { id: 'r', userId: id, model: '', maxRequests: 1, maxTokens: 1, windowMs: 9, createdAt: 1 }
    const limit: Limit = {
      id: 'l',
      subject: { kind: 'account', id },
      model: '',
      maxRequests: 1,
      maxTokens: undefined,
      maxCostMicros: undefined,
      currency: '',
      maxParallel: undefined,
      window: { kind: 'calendar', unit: 'day' },
      isSoft: false,
      isEnabled: true,
      note: '',
      createdAt: 1,
    }
    const group = {
      ...{ id: 'g', name: 'g', nameKey: 'g', note: '', isDefault: false, features: {}, createdAt: 1 },
      allowedModels: { enabled: false, models: [] },
    }
    const counter = { ruleId: 'r', windowStart: 1, requests: 1, tokens: 1 }
    const used = { promptTokens: 1, completionTokens: 1, totalTokens: 2, durationMs: 1, createdAt: 1 }
    const record = { id: 'u', userId: id, userName: 'ada', source: 'web', model: 'm', endpoint: 'e', ...used } as const
    const request = { reservationId: 'q', rules: [rule], tokens: 1, expiresAt: 9 }
    const calls: { readonly [Name in keyof Stores]: Readonly<Record<string, () => unknown>> } = {
      users: {
        register: () => addUser(stores, 'bob@site.example'),
        findById: () => stores.users.findById(id, call),
        findLocal: () => stores.users.findLocal('ada@site.example', call),
        findBySubject: () => stores.users.findBySubject({ provider: 'local', subject: 'x' }, call),
        list: () => stores.users.list({ limit: 9 }, call),
        readLastSeen: () => stores.users.readLastSeen([id], call),
        hasUsers: () => stores.users.hasUsers(call),
        setProfile: () => stores.users.setProfile(id, { name: 'x', now: 1 }, call),
        setRole: () => stores.users.setRole(id, { role: 'admin', now: 1 }, call),
        setStatus: () => stores.users.setStatus(id, { status: 'disabled', now: 1 }, call),
        setFeatures: () => stores.users.setFeatures(id, { features: {}, now: 1 }, call),
        setAllowedModels: () =>
          stores.users.setAllowedModels(id, { allowedModels: { enabled: true, models: [] }, now: 1 }, call),
        setPassword: () => stores.users.setPassword(id, { passwordHash: 'x', now: 1 }, call),
        replacePasswordHash: () => stores.users.replacePasswordHash(id, { from: 'hash', to: 'x' }, call),
        remove: () => stores.users.remove(id, call),
      },
      rights: { revision: () => stores.rights.revision(call) },
      sessions: {
        create: () => stores.sessions.create({ ...session, ...lives, rotatedAt: 1, hash }, { ...call, maxSessions: 9 }),
        findByHash: () => stores.sessions.findByHash(hash, call),
        findById: () => stores.sessions.findById('s', call),
        rotate: () => stores.sessions.rotate({ id: 's', from: hash, to: 'x', now: 1, previousUntil: 2 }, call),
        remove: () => stores.sessions.remove('s', call),
        removeByUser: () => stores.sessions.removeByUser(id, call),
        removeByProvider: () => stores.sessions.removeByProvider({ userId: id, providerSession: 'p' }, call),
        removeExpired: () => stores.sessions.removeExpired(limits, call),
      },
      apiKeys: {
        create: () => stores.apiKeys.create({ ...key, ...lives, hash }, { ...call, maxKeys: 9 }),
        findByHash: () => stores.apiKeys.findByHash(hash, call),
        findById: () => stores.apiKeys.findById('k', call),
        listByUser: () => stores.apiKeys.listByUser(id, { limit: 9 }, call),
        list: () => stores.apiKeys.list({ limit: 9 }, call),
        edit: () => stores.apiKeys.edit(key, { note: 'x' }, call),
        rotate: () =>
          stores.apiKeys.rotate(key, { from: 'p', to: { hash: 'x', prefix: 'q' }, now: 1, previousUntil: 2 }, call),
        remove: () => stores.apiKeys.remove(key, call),
        touch: () => stores.apiKeys.touch([{ id: 'k', at: 1 }], call),
        removeExpired: () => stores.apiKeys.removeExpired(limits, call),
      },
      invites: {
        create: () => stores.invites.create({ id: 'i', prefix: 'p', note: '', createdBy: id, hash, ...lives }, call),
        list: () => stores.invites.list({ limit: 9 }, call),
        isValid: () => stores.invites.isValid({ hash, now: 1 }, call),
        revoke: () => stores.invites.revoke('i', call),
      },
      signIns: {
        begin: () => stores.signIns.begin({ hash, now: 1, expiresAt: 9 }, { ...call, maxRunning: 9 }),
        consume: () => stores.signIns.consume({ hash, now: 1 }, call),
      },
      usedTokens: {
        isUsed: () => stores.usedTokens.isUsed({ hash, now: 1 }, call),
        use: () => stores.usedTokens.use({ hash, now: 1, expiresAt: 9 }, call),
      },
      knownAddresses: {
        note: () => stores.knownAddresses.note({ hash, userId: id, now: 1 }, { ...call, maxAddresses: 9 }),
        isKnown: () => stores.knownAddresses.isKnown({ hash, since: 1 }, call),
        removeOld: () => stores.knownAddresses.removeOld({ before: 1, limit: 9 }, call),
      },
      usage: {
        append: () => stores.usage.append([record], call),
        group: () => stores.usage.group({ bucket: 'hour', byModel: true }, { ...call, limit: 9 }),
        backfillSources: () => stores.usage.backfillSources(call),
        prune: () => stores.usage.prune({ maxRecords: 1, before: 1, hoursBefore: 1, daysBefore: 1, limit: 9 }, call),
      },
      groups: {
        list: () => stores.groups.list(call),
        create: () => stores.groups.create(group, { ...call, most: 9 }),
        change: () => stores.groups.change(group, call),
        remove: () => stores.groups.remove('g', call),
        listByUser: () => stores.groups.listByUser(id, call),
        listMemberships: () => stores.groups.listMemberships([id], call),
        countMembers: () => stores.groups.countMembers(call),
        listMembers: () => stores.groups.listMembers('g', { limit: 9 }, call),
        add: () => stores.groups.add({ groupId: 'g', userId: id, origin: 'manual' }, call),
        removeMember: () => stores.groups.removeMember({ groupId: 'g', userId: id }, call),
        assign: () => stores.groups.assign({ userId: id, groupIds: ['g'], origin: 'scim' }, call),
      },
      limits: {
        list: () => stores.limits.list(call),
        create: () => stores.limits.create(limit, { ...call, most: 9 }),
        change: () => stores.limits.change(limit, { ...call, restarts: true }),
        remove: () => stores.limits.remove('l', call),
        removeOldCounters: () => stores.limits.removeOldCounters('l', { ...call, before: 1, limit: 9 }),
      },
      quotas: {
        listRules: () => stores.quotas.listRules(id, call),
        listRulesByUsers: () => stores.quotas.listRulesByUsers([id], call),
        putRule: () => stores.quotas.putRule(rule, call),
        removeRule: () => stores.quotas.removeRule(rule, call),
        readCounters: () => stores.quotas.readCounters(['r'], call),
        writeCounters: () => stores.quotas.writeCounters([counter], call),
        removeStray: () => stores.quotas.removeStray({ ...call, after: '', limit: 9 }),
        apply: () => stores.quotas.apply({ requests: [request], settlements: [], now: 1 }, call),
      },
    }
    for (const [store, methods] of Object.entries(calls)) {
      const known = Object.keys(stores[store as keyof Stores]).filter((name) => name !== 'listen' && name !== 'flush')
      expect(Object.keys(methods).sort(), store).toEqual(known.sort())
      for (const [method, run] of Object.entries(methods)) {
        const error: unknown = await Promise.resolve(run()).catch((reason: unknown) => reason)
        expect(SvcError.is(error) && error.kind, `${store}.${method}`).toBe('unavailable')
      }
    }
  })

  it('a key that expires ends what is open', async () => {
    await using place = await open()
    const world = createServices({ stores: place.stores })
    const { user } = await world.addMember('ada@site.example')
    const { value } = await world.apiKeys.createFor(user, { name: 'short', expiresIn: '1h' }, call)
    const found = await world.authenticate({ 'x-api-key': value })
    if (found === undefined) throw new Error('the key is not valid')
    await place.stop()
    await world.clock.advance(3_599_999)
    await expect(world.authenticator.recheck(found, call)).rejects.toMatchObject({ kind: 'unavailable' })
    await world.clock.advance(1)
    expect(await world.authenticator.recheck(found, call)).toBeUndefined()
  })
})
