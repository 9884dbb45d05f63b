import {
  type ApiKeyDraft,
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
