import {
  type ApiKeyDraft,
  type ApiKeys,
  createApiKeys,
  createLocalPrincipal,
  createRevocations,
  createTokenHasher,
  type Principal,
} from '@svc/auth'
import { createMemoryStores } from '@svc/auth/memory'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { addUser, call } from './world.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const DAY = 86_400_000

/** Keys of one account. */
async function createKeys(options: Partial<Parameters<typeof createApiKeys>[0]> = {}) {
  const stores = createMemoryStores()
  const user = await addUser(stores, 'ada@site.example')
  const revocations = createRevocations()
  const hasher = createTokenHasher('a secret of more than thirty-two characters')
  const clock = createFakeClock({ now: NOW })
  const keys = createApiKeys({ store: stores.apiKeys, hasher, revocations, clock, ...options })
  const create = async (draft: Partial<ApiKeyDraft> = {}) =>
    (await keys.createFor(user, { name: 'x', ...draft }, call)).key
  return { keys, user, create, revocations }
}

describe('a key of an account', () => {
  it('is one of at most so many, and one more after one is revoked', async () => {
    const { create, keys, user } = await createKeys({ maxKeys: 2 })
    const first = await create()
    await create()
    await expect(create()).rejects.toMatchObject({
      kind: 'conflict',
      code: 'too_many_keys',
      message: 'an account has at most 2 API keys',
    })
    await keys.revoke({ id: first.id, userId: user.id }, call)
    await create()
    expect(await keys.list(user.id, { limit: 10 }, call)).toHaveLength(2)
  })

  it('is told to others when it is revoked', async () => {
    const { create, keys, user, revocations } = await createKeys()
    const revoked: unknown[] = []
    revocations.subscribe((revocation) => revoked.push(revocation))
    const { id } = await create()
    await keys.revoke({ id, userId: user.id }, call)
    expect(revoked).toEqual([{ kind: 'api-key', apiKeyId: id }])
  })

  it.each<[Partial<ApiKeyDraft>, number | undefined, number | undefined]>([
    [{}, undefined, undefined],
    [{}, 5 * DAY, NOW + 5 * DAY],
    [{ expiresIn: '2d' }, 5 * DAY, NOW + 2 * DAY],
    [{ expiresIn: '2d' }, undefined, NOW + 2 * DAY],
    [{ expiresAt: '2026-01-01T00:00:00.001Z' }, 5 * DAY, NOW + 1],
    [{ expiresAt: '2026-01-02t00:00:00z' }, undefined, NOW + DAY],
    [{ expiresAt: '2026-01-02T02:00:00+02:00' }, undefined, NOW + DAY],
    [{ expiresAt: '2026-01-01T22:30:00.123456789-01:30' }, undefined, NOW + DAY + 123],
  ])('with %j, where keys usually live %s ms, ends at %s', async (draft, defaultLifetimeMs, expiresAt) => {
    const { create } = await createKeys({ defaultLifetimeMs })
    expect((await create(draft)).expiresAt).toBe(expiresAt)
  })

  it.each([
    '2026-01-01T00:00:00Z',
    '2026-01-02',
    '2026-01-02 00:00:00Z',
    '2026-01-02T00:00:00',
    '2026-13-02T00:00:00Z',
    '2026-01-02T00:00:00.1234567891Z',
    'x2026-01-02T00:00:00Z',
    7,
  ])('does not end at %j', async (expiresAt) => {
    const { create } = await createKeys()
    await expect(create({ expiresAt })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it.each<[unknown, unknown]>([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [{ routes: undefined, models: ['m'] }, { models: ['m'] }],
    [{ routes: [] }, { routes: [] }],
    [
      { routes: ['chat', 'chat'], models: ['m', 'm'] },
      { routes: ['chat'], models: ['m'] },
    ],
  ])('with the scopes %j has %j', async (scopes, kept) => {
    const { create } = await createKeys({ hasModel: (name) => name === 'm' })
    expect((await create({ scopes: scopes as ApiKeyDraft['scopes'] })).scopes).toEqual(kept)
  })

  it.each([
    ['chat'],
    [['chat']],
    [7],
    [{ route: ['chat'] }],
    [{ routes: ['chat'], Models: [] }],
    [{ routes: ['chat', 'chats'] }],
    [{ models: ['m', 'other'] }],
    [{ models: 'm' }],
    [{ addresses: [] }],
    [{ addresses: ['localhost'] }],
    [{ routes: ['chat'], address: ['10.0.0.1'] }],
  ])('has no scopes %j', async (scopes) => {
    const { create } = await createKeys({ hasModel: (name) => name === 'm' })
    await expect(create({ scopes: scopes as never })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it.each<[string, Partial<Principal>]>([
    ['a key', { via: 'api-key' }],
    ['the machine itself', { kind: 'local' }],
    ['a session with limits', { scopes: { routes: ['chat'] } }],
    ['an account without a role', { role: 'none' }],
  ])('is not made by %s', async (_name, change) => {
    const { keys, user } = await createKeys()
    const session = { ...createLocalPrincipal(), kind: 'user', via: 'session', id: user.id, scopes: undefined } as const
    expect((await keys.create(session, { name: 'x' }, call)).key.role).toBe('admin')
    await expect(keys.create({ ...session, ...change } as Principal, { name: 'x' }, call)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'session_required',
      message: 'API keys are made with a session of your account',
    })
  })
})

type ApiKeyEdit = Parameters<ApiKeys['edit']>[2]

/** A key with what its account and an admin may do with it. */
async function createChanging(options: Parameters<typeof createKeys>[0] = {}) {
  const world = await createKeys(options)
  const { keys, user } = world
  const session = { ...createLocalPrincipal(), kind: 'user', via: 'session', id: user.id, scopes: undefined } as const
  const key = await world.create({ note: 'first' })
  const told: unknown[] = []
  world.revocations.subscribe((revocation) => told.push(revocation))
  const edit = (edit: ApiKeyEdit, principal: Principal = session) => keys.edit(principal, key.id, edit, call)
  return { ...world, session, key, told, edit, concerned: { kind: 'api-key', apiKeyId: key.id } }
}

describe('a change of a key', () => {
  it('is of the fields that are given, and is told to others', async () => {
    const { key, edit, told, concerned } = await createChanging({ hasModel: (name) => name === 'm' })
    expect(await edit({ name: ' other ' })).toEqual({ ...key, name: 'other' })
    expect(await edit({ note: null, expiresIn: '2d' })).toMatchObject({ note: '', expiresAt: NOW + 2 * DAY })
    const scopes = { routes: ['chat'], models: ['m'], addresses: ['10.0.0.0/8'] }
    expect(await edit({ scopes })).toMatchObject({ scopes, name: 'other', expiresAt: NOW + 2 * DAY })
    expect(await edit({ scopes: null, expiresAt: null })).toMatchObject({ scopes: {}, expiresAt: undefined })
    expect(await edit({ isBlocked: true, blockReason: 'lost' })).toMatchObject({
      block: { by: 'owner', reason: 'lost' },
    })
    expect(await edit({ isBlocked: false })).toMatchObject({ block: undefined })
    expect(told).toEqual(Array.from({ length: 6 }, () => concerned))
  })

  it.each<[ApiKeyEdit]>([
    [{}],
    [undefined as never],
    [7 as never],
    [{ name: '' }],
    [{ name: null }],
    [{ name: 7 }],
    [{ name: 'p\u0430ypal' }],
    [{ name: 'a\u202eb' }],
    [{ name: 'x'.repeat(201) }],
    [{ note: 'x'.repeat(1001) }],
    [{ note: 7 }],
    [{ note: 'a\0b' }],
    [{ expiresAt: '2020-01-01T00:00:00Z' }],
    [{ expiresAt: '' }],
    [{ expiresIn: null }],
    [{ expiresIn: 7 }],
    [{ expiresIn: '1d', expiresAt: '2027-01-01T00:00:00Z' }],
    [{ scopes: [] as never }],
    [{ scopes: { model: ['m'] } as never }],
    [{ scopes: { models: ['other'] } }],
    [{ scopes: { addresses: ['10.0.0.1/8'] } }],
    [{ isBlocked: 'yes' }],
    [{ isBlocked: null }],
    [{ blockReason: 'why' }],
    [{ isBlocked: false, blockReason: 'why' }],
    [{ isBlocked: true, blockReason: 'x'.repeat(1001) }],
  ])('is not %j', async (form) => {
    const { edit, key, keys, told } = await createChanging({ hasModel: (name) => name === 'm' })
    await expect(edit(form)).rejects.toMatchObject({ kind: 'invalid_request' })
    expect((await keys.find(key.id, call)).key).toEqual(key)
    expect(told).toEqual([])
  })

  it('is made by a session of the account alone, or in the name of an admin', async () => {
    const { keys, key, session, create, told } = await createChanging()
    for (const change of [
      { via: 'api-key' },
      { kind: 'local' },
      { kind: 'service' },
      { scopes: {} },
      { role: 'none' },
    ]) {
      const caller = { ...session, ...change } as Principal
      const refusal = { kind: 'forbidden', code: 'session_required' }
      await expect(keys.edit(caller, key.id, { name: 'x' }, call)).rejects.toMatchObject(refusal)
      await expect(keys.rotate(caller, key.id, {}, call)).rejects.toMatchObject(refusal)
    }
    const other = { ...session, id: 'somebody' }
    const service = await keys.createFor(undefined, { name: 'robot' }, call)
    const ended = await create({ expiresIn: '1ms' })
    for (const [caller, id] of [
      [other, key.id],
      [session, service.key.id],
      [session, 'none'],
      [session, 7],
      [session, undefined],
    ] as const) {
      await expect(keys.edit(caller, id as string, { name: 'x' }, call)).rejects.toMatchObject({ kind: 'not_found' })
      await expect(keys.rotate(caller, id as string, {}, call)).rejects.toMatchObject({ kind: 'not_found' })
    }
    expect(told).toEqual([])
    expect((await keys.editAny(key.id, { name: 'x' }, call)).key.name).toBe('x')
    expect((await keys.editAny(service.key.id, { name: 'y' }, call)).key).toMatchObject({
      name: 'y',
      userId: undefined,
    })
    expect(ended.expiresAt).toBe(NOW + 1)
  })

  it('does not revive an expired key', async () => {
    const clock = createFakeClock({ now: NOW })
    const { keys, create } = await createKeys({ clock })
    const { id } = await create({ expiresIn: '1d' })
    await clock.advance(DAY)
    for (const change of [keys.editAny(id, { expiresAt: null }, call), keys.rotateAny(id, {}, call)])
      await expect(change).rejects.toMatchObject({ kind: 'not_found' })
    await keys.revoke((await keys.find(id, call)).key, call)
  })

  it('of a block of an admin is for admins, also when both come at once', async () => {
    const { keys, key, edit } = await createChanging()
    await edit({ isBlocked: true })
    await keys.editAny(key.id, { isBlocked: true, blockReason: 'leaked' }, call)
    for (const form of [{ isBlocked: false }, { isBlocked: true }])
      await expect(edit(form)).rejects.toMatchObject({ kind: 'forbidden', code: 'blocked_by_admin' })
    expect((await edit({ name: 'still mine' })).block).toEqual({ by: 'admin', reason: 'leaked' })
    expect((await keys.editAny(key.id, { isBlocked: false }, call)).key.block).toBeUndefined()
    await Promise.allSettled([edit({ isBlocked: false }), keys.editAny(key.id, { isBlocked: true }, call)])
    expect((await keys.find(key.id, call)).key.block).toMatchObject({ by: 'admin' })
  })
})

describe('a new value of a key', () => {
  it.each<[unknown, number]>([
    [undefined, NOW + DAY],
    [null, NOW + DAY],
    ['0', 0],
    ['90m', NOW + 5_400_000],
    ['30d', NOW + 30 * DAY],
  ])('with the grace %j leaves the one before valid until %s', async (grace, previousUntil) => {
    const { keys, key, session, told, concerned } = await createChanging()
    const { key: rotated, value } = await keys.rotate(session, key.id, { grace }, call)
    expect(value).toMatch(/^svc-[0-9a-f]{64}$/)
    expect(rotated).toEqual({ ...key, prefix: value.slice(0, 12), rotatedAt: NOW, previousUntil })
    expect((await keys.find(key.id, call)).key).toEqual(rotated)
    expect(told).toEqual([concerned])
  })

  it.each([0, '', '31d', '-1h', 'soon', '0h', {}])('has no grace %j', async (grace) => {
    const { keys, key, session } = await createChanging()
    await expect(keys.rotate(session, key.id, { grace }, call)).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('is one for two who ask at once: the other learns of it', async () => {
    const { keys, key } = await createChanging()
    const outcomes = await Promise.allSettled([keys.rotateAny(key.id, {}, call), keys.rotateAny(key.id, {}, call)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = outcomes.find(({ status }) => status === 'rejected')
    expect(lost).toMatchObject({ reason: { kind: 'conflict', code: 'key_changed' } })
  })
})

it('services have a bound of their own, and an admin finds their keys', async () => {
  const { keys, create } = await createKeys({ maxServiceKeys: 1, maxKeys: 1 })
  const { key, value } = await keys.createFor(undefined, { name: 'robot', note: 'n' }, { ...call, createdBy: 'root' })
  expect(key).toMatchObject({
    userId: undefined,
    role: 'user',
    createdBy: 'root',
    note: 'n',
    prefix: value.slice(0, 12),
  })
  await expect(keys.createFor(undefined, { name: 'robot' }, call)).rejects.toMatchObject({
    code: 'too_many_keys',
    message: 'services have at most 1 API keys',
  })
  await create()
  expect(await keys.listAll({ isService: true, limit: 9 }, call)).toEqual([{ key, user: undefined, isCurrent: true }])
  await keys.revoke(key, call)
  await keys.createFor(undefined, { name: 'robot' }, call)
})
