import { FEATURES } from '@svc/auth/access'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountsWorld, PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { verifies } from './verifies.ts'

const USERS = '/api/auth/admin/users'

let world: AccountsWorld
beforeAll(async () => {
  world = await startAccountsWorld()
  await world.model('m')
})
afterAll(() => world.close())

const send = async (method: string, path: string, body?: unknown) => {
  const reply = await world.admin.browser.send(method, `${USERS}/${path}`, body)
  return [reply.status, reply.json()]
}

describe('an admin', () => {
  verifies('auth-api:admin:users', 'sees all accounts, oldest first', async () => {
    const bob = await world.member('listed')
    const { users } = (await world.admin.browser.call(USERS)).json() as { users: { id: string }[] }
    expect(users[0]?.id).toBe(world.admin.id)
    expect(users.at(-1)).toEqual({
      id: bob.id,
      email: bob.email,
      name: 'listed',
      avatarUrl: '',
      role: 'user',
      status: 'active',
      provider: 'local',
      createdAt: expect.stringMatching(/Z$/),
      permissions: expect.any(Object),
      allowed_models: { enabled: false, models: [] },
      lastSeen: expect.stringMatching(/Z$/),
      quotas: [],
    })
    const page = await world.admin.browser.call(`${USERS}?limit=1&after=${world.admin.id}`)
    expect((page.json() as { users: unknown[] }).users).toHaveLength(1)
    for (const query of ['limit=0', 'limit=x', 'limit=99999', 'limit=-1'])
      expect((await world.admin.browser.call(`${USERS}?${query}`)).text, query).toBe(
        (await world.admin.browser.call(USERS)).text,
      )
    for (const query of ['after=%00', "after=' OR 1=1"])
      expect((await world.admin.browser.call(`${USERS}?${query.replaceAll(' ', '+')}`)).status, query).toBe(400)
  })

  verifies('auth-api:admin:users-use', 'sees when accounts were seen last, and their quotas', async () => {
    const bob = await world.member('counted')
    const list = async () => {
      const { users } = (await world.admin.browser.call(USERS)).json() as {
        users: { id: string; lastSeen: string | null; quotas: { model: string }[] }[]
      }
      return users.find(({ id }) => id === bob.id)
    }
    const before = await list()
    expect(Date.parse(String(before?.lastSeen))).toBeGreaterThan(0)
    await send('PUT', `${bob.id}/quotas`, { model: 'm', max_requests: 5, window: '1d' })
    await send('PUT', `${bob.id}/quotas`, { max_total_tokens: 100, window: '1h' })
    expect((await world.chat('m', {}, bob.headers)).status).toBe(200)
    const { quotas } = (await send('GET', `${bob.id}/quotas`))[1] as { quotas: object[] }
    const after = await list()
    expect(after?.quotas).toEqual(quotas)
    expect(after?.quotas.map(({ model }) => model).sort()).toEqual(['', 'm'])
  })

  verifies(['auth-api:admin:role', 'user:role-change:promotes'], 'changes the role of others', async () => {
    const bob = await world.member('promoted')
    expect(await send('PUT', `${bob.id}/role`, { role: 'admin' })).toEqual([200, { message: 'role updated' }])
    expect((await world.call('/system', { headers: bob.headers })).status).toBe(200)
    expect(await send('PUT', `${bob.id}/role`, { role: 'root' })).toEqual([
      400,
      { error: "role must be 'admin' or 'user'" },
    ])
    expect(await send('PUT', `${world.admin.id}/role`, { role: 'user' })).toEqual([
      400,
      { error: 'cannot change your own role' },
    ])
    expect(await send('PUT', 'nobody/role', { role: 'user' })).toEqual([404, { error: 'user not found' }])
    expect(await send('PUT', `${bob.id}/role`, { role: 'user' })).toEqual([200, { message: 'role updated' }])
    expect((await world.call('/system', { headers: bob.headers })).status).toBe(403)
  })

  it('approves and disables others', async () => {
    const bob = await world.member('disabled')
    expect(await send('PUT', `${bob.id}/status`, { status: 'disabled' })).toEqual([200, { message: 'status updated' }])
    expect((await world.call('/v1/models', { headers: bob.headers })).status).toBe(401)
    const login = await world.post('/api/auth/login', { email: bob.email, password: PASSWORD })
    expect([login.status, login.json()]).toEqual([403, { error: 'account disabled' }])
    expect(await send('PUT', `${bob.id}/status`, { status: 'gone' })).toEqual([
      400,
      { error: "status must be 'active' or 'disabled'" },
    ])
    expect(await send('PUT', `${world.admin.id}/status`, { status: 'disabled' })).toEqual([
      400,
      { error: 'cannot change your own status' },
    ])
    expect(await send('PUT', `${bob.id}/status`, { status: 'active' })).toEqual([200, { message: 'status updated' }])
    expect((await world.call('/v1/models', { headers: bob.headers })).status).toBe(200)
  })

  it('resets the password of others', async () => {
    const bob = await world.member('forgetful')
    const password = 'copper-Lantern 47 heron'
    expect(await send('PUT', `${bob.id}/password`, { password: 'short' })).toMatchObject([
      400,
      { error_code: 'password_too_short', overridable: true },
    ])
    expect(await send('PUT', `${bob.id}/password`, { password })).toEqual([
      200,
      { message: 'password reset successfully' },
    ])
    expect((await bob.browser.call('/api/auth/me')).status).toBe(401)
    expect((await world.post('/api/auth/login', { email: bob.email, password })).status).toBe(200)
    expect(await send('PUT', `${world.admin.id}/password`, { password })).toMatchObject([
      400,
      { error: expect.any(String) },
    ])
  })

  verifies('auth-api:admin:delete-user', 'deletes others, with everything of theirs', async () => {
    const bob = await world.member('removed')
    expect(await send('DELETE', bob.id)).toEqual([200, { message: 'user deleted' }])
    expect((await world.call('/v1/models', { headers: bob.headers })).status).toBe(401)
    expect(await send('DELETE', bob.id)).toEqual([404, { error: 'user not found' }])
    expect(await send('DELETE', world.admin.id)).toEqual([400, { error: 'cannot delete yourself' }])
    expect((await world.member('removed')).id).not.toBe(bob.id)
  })

  it('grants features and models', async () => {
    const bob = await world.member('granted')
    const features = (await world.admin.browser.call('/api/auth/admin/features')).json() as Record<string, object[]>
    expect(features.models).toEqual(['m'])
    expect([
      ...(features.agent_features ?? []),
      ...(features.general_features ?? []),
      ...(features.api_features ?? []),
    ]).toHaveLength(FEATURES.length)
    const chat = () => world.chat('m', {}, bob.headers)
    expect((await chat()).status).toBe(200)
    expect(await send('PUT', `${bob.id}/permissions`, { chat: false })).toMatchObject([
      200,
      { message: 'permissions updated', user_id: bob.id, permissions: { chat: false, embeddings: true } },
    ])
    const refused = await chat()
    expect([refused.status, refused.json()]).toEqual([
      403,
      {
        error: {
          code: 403,
          type: 'authorization_error',
          param: null,
          message: 'feature not enabled for your account: chat',
        },
      },
    ])
    expect((await bob.browser.call('/api/auth/me')).json()).toMatchObject({ permissions: { chat: false } })
    expect(await send('PUT', `${bob.id}/permissions`, {})).toMatchObject([200, { permissions: { chat: true } }])
    expect(await send('GET', `${bob.id}/permissions`)).toMatchObject([
      200,
      { user_id: bob.id, permissions: { chat: true } },
    ])
    for (const body of [{ nonsense: true }, { chat: 'yes' }])
      expect(await send('PUT', `${bob.id}/permissions`, body)).toMatchObject([400, { error: expect.any(String) }])
    expect(await send('PUT', `${bob.id}/models`, { enabled: true, models: ['other'] })).toEqual([
      200,
      {
        message: 'allowed models updated',
        user_id: bob.id,
        allowed_models: { enabled: true, models: ['other'] },
      },
    ])
    for (const body of [{}, { enabled: 'x' }, { enabled: true, models: 'm' }, { enabled: true, models: [5] }])
      expect(await send('PUT', `${bob.id}/models`, body)).toMatchObject([400, { error: expect.any(String) }])
  })

  it('sets quotas, which their owner sees', async () => {
    const bob = await world.member('limited')
    const put = (body: object) => send('PUT', `${bob.id}/quotas`, body)
    const [status, body] = await put({ model: 'm', max_requests: 3, max_total_tokens: null, window: '1d' })
    const { quota } = body as { quota: { id: string } }
    expect([status, body]).toEqual([
      200,
      {
        message: 'quota updated',
        quota: {
          id: expect.any(String),
          model: 'm',
          max_requests: 3,
          max_total_tokens: null,
          window: '1d',
          current_requests: 0,
          current_total_tokens: 0,
          resets_at: expect.stringMatching(/Z$/),
        },
      },
    ])
    for (const path of ['/api/auth/quota', '/api/auth/me'])
      expect((await bob.browser.call(path)).json(), path).toMatchObject({ quotas: [quota] })
    expect(await send('GET', `${bob.id}/quotas`)).toEqual([200, { quotas: [quota] }])
    expect(await put({ max_requests: 3 })).toEqual([400, { error: 'window is required' }])
    for (const fields of [{ window: '-1h' }, { window: '1h', max_requests: -1 }, { window: '1h', max_requests: 1.5 }])
      expect(await put(fields)).toMatchObject([400, { error: expect.any(String) }])
    for (const model of ['M', 'm ', 'm:latest', 'nobody', '../m', '*'])
      expect([model, ...(await put({ model, max_requests: 1, window: '1d' }))]).toEqual(
        model.trim() === 'm'
          ? [model, 200, expect.anything()]
          : [model, 400, { error: `model: there is no model ${JSON.stringify(model)}` }],
      )
    expect(await send('DELETE', `${bob.id}/quotas/${quota.id}`)).toEqual([200, { message: 'quota deleted' }])
    expect(await send('DELETE', `${bob.id}/quotas/${quota.id}`)).toEqual([404, { error: 'quota rule not found' }])
    expect(await send('GET', 'nobody/quotas')).toEqual([404, { error: 'user not found' }])
  })
})
