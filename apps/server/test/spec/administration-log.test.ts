import type { PiiEvent } from '@svc/wire/native'
import { piiEventList } from '@svc/wire/native'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type AccountsWorld, type Member, PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const USERS = '/api/auth/admin/users'
const EVENTS = '/api/pii/events'

/** Reads events as an admin. */
async function readEvents(
  server: Pick<TestServer, 'call'>,
  query: Readonly<Record<string, string>> = {},
  headers: Record<string, string> = {},
): Promise<readonly PiiEvent[]> {
  const reply = await server.call(`${EVENTS}?${new URLSearchParams(query)}`, { headers })
  expect(reply.status, reply.text).toBe(200)
  return piiEventList.parse(reply.json()).events
}

const short = ({ change, target, target_name: name, details, outcome }: PiiEvent) =>
  [change, target, name, details, outcome].filter((part) => part !== undefined)

describe('with accounts', () => {
  let world: AccountsWorld
  let bob: Member
  beforeAll(async () => {
    world = await startAccountsWorld({
      flags: ['--auth-registration-mode=open', '--api-keys=shared-key-of-everybody'],
    })
    await world.model('m')
    bob = await world.member('bob')
  })
  afterAll(() => world.close())

  const read = (query: Readonly<Record<string, string>> = {}) =>
    readEvents(world, { kind: 'administration', ...query }, world.admin.headers)
  const send = (method: string, path: string, body?: unknown) => world.admin.browser.send(method, path, body)
  /** The entries of what `act` does, the oldest first. */
  const collectEntries = async (act: () => Promise<unknown>, kind = 'administration') => {
    const before = new Set((await read({ kind, limit: '10000' })).map(({ id }) => id))
    await act()
    return (await read({ kind, limit: '10000' })).filter(({ id }) => !before.has(id)).reverse()
  }

  verifies(['events:changes:facts'], 'each change of an account, a quota, an invite or a key is noted', async () => {
    const { id, email } = bob
    const entries = await collectEntries(async () => {
      await send('PUT', `${USERS}/${id}/role`, { role: 'admin' })
      await send('PUT', `${USERS}/${id}/role`, { role: 'user' })
      await send('PUT', `${USERS}/${id}/status`, { status: 'disabled' })
      await send('PUT', `${USERS}/${id}/status`, { status: 'active' })
      await send('PUT', `${USERS}/${id}/permissions`, { chat: false, vad: true })
      await send('PUT', `${USERS}/${id}/models`, { enabled: true, models: ['m', 'other'] })
      await send('PUT', `${USERS}/${id}/models`, { enabled: false })
      const quota = { model: 'm', max_requests: 3, max_total_tokens: null, window: '1d' }
      const { quota: made } = (await send('PUT', `${USERS}/${id}/quotas`, quota)).json() as { quota: { id: string } }
      await send('DELETE', `${USERS}/${id}/quotas/${made.id}`)
    })
    expect(entries.map(short)).toEqual([
      ['user.role', id, email, 'admin', 'done'],
      ['user.role', id, email, 'user', 'done'],
      ['user.status', id, email, 'disabled', 'done'],
      ['user.status', id, email, 'active', 'done'],
      ['user.features', id, email, 'chat=off, vad=on', 'done'],
      ['user.models', id, email, 'only m, other', 'done'],
      ['user.models', id, email, 'all', 'done'],
      ['quota.set', id, email, 'm: 3 requests in 1d', 'done'],
      ['quota.delete', id, 'm: 3 requests in 1d', 'done'],
    ])
    for (const entry of entries) {
      expect(entry).toMatchObject({
        kind: 'administration',
        origin: 'api',
        user_id: world.admin.id,
        actor: world.admin.email,
        via: 'session',
        address: '127.0.0.1',
      })
      expect(entry.id).toMatch(/^chg_[0-9a-f]{24}$/)
      expect(Date.now() - Date.parse(entry.created_at)).toBeLessThan(600_000)
      expect(entry).not.toHaveProperty('pattern_id')
    }
  })

  it('an invite, its end and a deletion name what they were about, and the key that was used', async () => {
    const eve = await world.member('eve')
    const admin = world.admin.headers
    const entries = await collectEntries(async () => {
      const invite = await world.post('/api/auth/admin/invites', { expiresInHours: 2 }, { ...admin })
      const { id } = invite.json() as { id: string }
      await world.call(`/api/auth/admin/invites/${id}`, { method: 'DELETE', headers: { ...admin } })
      await world.call(`${USERS}/${eve.id}`, { method: 'DELETE', headers: { ...admin } })
    })
    const [created, revoked] = entries
    expect(entries.map(short)).toEqual([
      ['invite.create', created?.target, expect.stringMatching(/^until \d{4}-.*Z$/), 'done'],
      ['invite.revoke', created?.target, 'done'],
      ['user.delete', eve.id, eve.email, 'done'],
    ])
    expect(revoked).toMatchObject({ via: 'api-key', api_key_id: world.admin.keyId })
  })

  it('what users do with their own accounts is a kind of its own, and so are their keys', async () => {
    const own = await collectEntries(async () => {
      const { id } = await world.keyOf(bob, { name: 'laptop', expiresIn: '1h', scopes: { routes: ['chat'] } })
      await bob.browser.send('DELETE', `/api/auth/api-keys/${id}`)
      await bob.browser.send('PUT', '/api/auth/profile', { name: 'Bob' })
      await bob.browser.send('DELETE', '/api/auth/sessions')
      await bob.browser.send('PUT', '/api/auth/password', { current_password: PASSWORD, new_password: PASSWORD })
    }, 'account')
    expect(own.map(short)).toEqual([
      ['key.create', own[0]?.target, 'laptop', expect.stringMatching(/^until .*Z; routes chat$/), 'done'],
      ['key.revoke', own[0]?.target, 'done'],
      ['account.profile', 'done'],
      ['account.sessions', 'done'],
      ['account.password', 'done'],
    ])
    for (const entry of own) expect(entry).toMatchObject({ kind: 'account', user_id: bob.id, actor: bob.email })
    const ofAdmin = await collectEntries(() => world.keyOf(world.admin, { name: 'ci' }))
    expect(ofAdmin.map(short)).toEqual([['key.create', ofAdmin[0]?.target, 'ci', 'no limits', 'done']])
  })

  it('the first admin and a shared key are noted too', async () => {
    const first = (await read({ change: 'user.role', target: world.admin.id })).at(-1)
    expect(first).toMatchObject({ actor: world.admin.email, details: expect.stringContaining('the first account') })
    const headers = { authorization: 'Bearer shared-key-of-everybody' }
    const entries = await collectEntries(() =>
      world.call('/api/traces/clear', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }),
    )
    expect(entries).toMatchObject([
      { change: 'trace.clear', user_id: 'legacy-api-key', actor: 'API Key User', via: 'shared-key' },
    ])
  })

  it('settings are noted by name, and by value where that is a switch or a number', async () => {
    const entries = await collectEntries(() =>
      send('POST', '/api/settings', { threads: 3, debug: false, agent_pool_api_key: 'hidden-secret' }).catch(() => 0),
    )
    const accepted = await collectEntries(() =>
      send('POST', '/api/settings', { threads: 3, api_keys: ['hidden-secret'] }),
    )
    for (const entry of [...entries, ...accepted]) expect(JSON.stringify(entry)).not.toContain('hidden')
    expect(accepted.map(short)).toEqual([['setting.change', 'threads=3, api_keys', 'done']])
  })

  it('models and backends are noted: written, changed, switched, deleted', async () => {
    const text = stringify({
      name: 'fresh',
      backend: 'mock',
      parameters: { model: 'fresh.bin' },
      description: 'hidden',
    })
    const yaml = { 'content-type': 'application/yaml', ...world.admin.headers }
    const entries = await collectEntries(async () => {
      await world.call('/models/import', { method: 'POST', body: text, headers: yaml })
      await world.call('/api/models/config-json/fresh', {
        method: 'PATCH',
        body: JSON.stringify({ threads: 2, system_prompt: 'hidden' }),
        headers: { ...yaml, 'content-type': 'application/json' },
      })
      await world.call('/models/toggle-state/fresh/disable', { method: 'PUT', headers: yaml })
      await world.call('/models/edit/fresh', { method: 'POST', body: text, headers: yaml })
      await world.call('/models/delete/fresh', { method: 'POST', headers: yaml })
      await world.post(
        '/models/apply',
        { url: 'https://user:hidden@127.0.0.1/x.yaml?token=hidden', name: 'far' },
        { ...world.admin.headers },
      )
    })
    expect(entries.map(short)).toEqual([
      ['model.create', 'fresh.yaml', 'done'],
      ['model.edit', 'fresh', 'threads, system_prompt', 'done'],
      ['model.state', 'fresh', 'disable', 'done'],
      ['model.edit', 'fresh', 'the whole file, now fresh.yaml', 'done'],
      ['model.delete', 'fresh', 'done'],
      ['model.install', 'far', 'https://127.0.0.1/x.yaml', 'done'],
    ])
    expect(JSON.stringify(entries)).not.toContain('hidden')
  })

  it('what is refused leaves nothing, and what fails an entry that says so', async () => {
    const before = await read({ limit: '10000' })
    const refused = [
      await send('PUT', `${USERS}/${bob.id}/role`, { role: 'root' }),
      await send('PUT', `${USERS}/nobody/role`, { role: 'admin' }),
      await send('PUT', `${USERS}/${world.admin.id}/status`, { status: 'disabled' }),
      await send('DELETE', `${USERS}/${bob.id}/quotas/none`),
      await bob.browser.send('PUT', `${USERS}/${bob.id}/role`, { role: 'admin' }),
      await world.call(`${USERS}/${bob.id}`, { method: 'DELETE' }),
      await world.call(`${USERS}/${bob.id}`, { method: 'DELETE', headers: { origin: 'https://evil.test' } }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 404, 400, 404, 403, 401, 401])
    expect(await read({ limit: '10000' })).toEqual(before)
    await world.model('broken', {
      rules: [{ rpc: 'LoadModel', do: { failure: { status: 'INTERNAL', message: 'no' } } }],
    })
    const failed = await collectEntries(() => send('POST', '/backend/load', { model: 'broken' }))
    expect(failed.map(short)).toEqual([['model.load', 'broken', 'failed']])
  })

  verifies('events:changes:filters', 'admins alone read them, by caller, name, area, target and time', async () => {
    for (const headers of [{}, bob.headers]) {
      const reply = await world.call(EVENTS, { headers: { ...headers } })
      expect([401, 403]).toContain(reply.status)
    }
    const all = await read({ limit: '10000' })
    const is = (test: (entry: PiiEvent) => boolean) => all.filter(test).map(({ id }) => id)
    const found = async (query: Readonly<Record<string, string>>) =>
      (await read({ limit: '10000', ...query })).map(({ id }) => id)
    expect(await found({ change: 'user' })).toEqual(is(({ change }) => change?.startsWith('user.') ?? false))
    expect(await found({ change: 'user.role' })).toEqual(is(({ change }) => change === 'user.role'))
    expect(await found({ target: bob.id })).toEqual(is(({ target }) => target === bob.id))
    expect(await found({ user_id: 'legacy-api-key' })).toEqual(is(({ via }) => via === 'shared-key'))
    const middle = all[Math.floor(all.length / 2)]?.created_at ?? ''
    expect(await found({ since: middle })).toEqual(is(({ created_at: time }) => time >= middle))
    expect(await found({ until: middle })).toEqual(is(({ created_at: time }) => time < middle))
    expect(await found({ origin: 'command' })).toEqual([])
    expect((await found({ limit: '2' })).length).toBe(2)
    // the log of the filter stays what it was, unless changes are asked for
    const listKinds = async (query: Readonly<Record<string, string>>) => [
      ...new Set((await readEvents(world, query, world.admin.headers)).map(({ kind }) => kind)),
    ]
    expect(await listKinds({})).toEqual([])
    for (const query of [{ change: 'user' }, { target: bob.id }, { origin: 'api' }])
      expect(await listKinds(query)).toContain('administration')
    expect((await listKinds({ kind: 'pii,account,administration', limit: '1000' })).sort()).toEqual([
      ...['account', 'administration'],
    ])
    for (const query of ['since=yesterday', 'until=2026-99-01T00:00:00Z', 'since=1', 'origin=nowhere']) {
      const reply = await world.call(`${EVENTS}?${query}`, { headers: { ...world.admin.headers } })
      expect(reply.status, query).toBe(400)
    }
  })

  it('no secret of anybody stands in them', async () => {
    const { key } = await world.keyOf(world.admin, { name: 'secret' })
    const invite = (await send('POST', '/api/auth/admin/invites', {})).json() as { code: string }
    await send('PUT', `${USERS}/${bob.id}/password`, { password: 'copper-Lantern 47 heron' })
    const text = JSON.stringify(await read({ limit: '10000' })) + JSON.stringify(await read({ kind: 'account' }))
    for (const secret of [key, key.slice(0, 12), invite.code, invite.code.slice(0, 8), 'copper-Lantern', PASSWORD])
      expect(text).not.toContain(secret)
  })
})

it('a server without accounts notes the address of whoever changes it', async () => {
  await using server = await startTestServer()
  await server.model('m')
  await server.call('/models/toggle-pinned/m/pin', { method: 'PUT' })
  await server.post('/api/settings', { threads: 2 })
  expect(await readEvents(server, { kind: 'administration' })).toMatchObject([
    { change: 'setting.change', actor: 'Local', via: 'none', address: '127.0.0.1', details: 'threads=2' },
    { change: 'model.pin', target: 'm', details: 'pin' },
  ])
})

it('behind a proxy that is trusted, the address is that of the client', async () => {
  await using server = await startTestServer({ flags: ['--trusted-proxies=127.0.0.1'] })
  const clear = (forwarded: string) =>
    server.call('/api/traces/clear', { method: 'POST', headers: { 'x-forwarded-for': forwarded } })
  await clear('203.0.113.9')
  await clear('"><script>, 203.0.113.10')
  expect((await readEvents(server, { kind: 'administration' })).map(({ address }) => address)).toEqual([
    '203.0.113.10',
    '203.0.113.9',
  ])
})
