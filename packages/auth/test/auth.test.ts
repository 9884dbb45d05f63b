import { createAuth } from '@svc/auth'
import { createMemoryStores } from '@svc/auth/memory'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { call } from './world.ts'

const SECRET = 'a secret of more than thirty-two characters'
const DAY = 86_400_000

it('puts all parts together, tidies what has expired, and writes what waits when it ends', async () => {
  const stores = createMemoryStores()
  const clock = createFakeClock()
  const auth = createAuth({ stores, secret: SECRET, clock, sharedKeys: ['shared'] })
  const form = { email: 'ada@site.example', password: 'violet-Marble 92 otter' }
  const registered = await auth.accounts.register(form, call)
  if (registered.kind !== 'active') throw new Error(registered.kind)
  const { user } = registered
  const session = await auth.sessions.begin({ userId: user.id }, call)
  const { key, value } = await auth.apiKeys.createFor(user, { name: 'laptop', expiresIn: '40d' }, call)
  expect((await auth.authenticator.authenticate({ 'x-api-key': value }))?.principal.id).toBe(user.id)
  expect((await auth.authenticator.authenticate({ 'x-api-key': 'shared' }))?.principal.kind).toBe('legacy')
  const record = {
    id: 'r',
    userId: user.id,
    userName: 'Ada',
    source: 'web' as const,
    model: 'm',
    endpoint: '/',
    promptTokens: 1,
    completionTokens: 1,
    totalTokens: 2,
    durationMs: 1,
    createdAt: clock.now(),
  }
  auth.usageRecorder.record(record)
  await auth.close()
  expect((await stores.apiKeys.findById(key.id, call))?.key.lastUsedAt).toBe(clock.now())
  expect((await auth.usage.readUsage({ period: 'day', view: 'all' }, call)).totals.requests).toBe(1)
  await clock.advance(31 * DAY)
  await auth.tidy(call)
  expect(await stores.sessions.findById(session.sessionId, call)).toBeUndefined()
  expect(await stores.apiKeys.findById(key.id, call)).toBeDefined()
  await clock.advance(70 * DAY)
  await auth.tidy(call)
  expect(await stores.apiKeys.findById(key.id, call)).toBeUndefined()
  expect((await auth.usage.readUsage({ period: 'all', view: 'all' }, call)).totals.requests).toBe(1)
})

it('asks admins for new accounts unless it is told otherwise', async () => {
  const auth = createAuth({ stores: createMemoryStores(), secret: SECRET })
  const password = 'violet-Marble 92 otter'
  await auth.accounts.register({ email: 'ada@site.example', password }, call)
  expect(await auth.accounts.register({ email: 'bob@site.example', password }, call)).toEqual({ kind: 'pending' })
  await auth.close()
})

it.each([undefined, '', 'short', 7, new Uint8Array(31)])('refuses the secret %j', (secret) => {
  const options = { stores: createMemoryStores(), secret: secret as string }
  expect(() => createAuth(options)).toThrow('createTokenHasher: secret must be text or bytes of at least 32')
})

it('sleeps by the clocks of the machine until it is told to end', async () => {
  const { systemClock } = await import('../src/system-clock.ts')
  const ending = new AbortController()
  const sleeping = systemClock.sleep(3_600_000, ending)
  ending.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  await systemClock.sleep(0, call)
  expect(systemClock.monotonic()).toBeLessThanOrEqual(systemClock.monotonic())
})
