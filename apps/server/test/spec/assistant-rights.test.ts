import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLS } from '../../src/assistant/tools/all-tools.ts'
import { type AccountsWorld, type Member, startAccountsWorld } from '../support/accounts-world.ts'
import { connectMcp, INITIALIZE, MESSAGE_HEADERS } from '../support/mcp-client.ts'
import { verifies } from './verifies.ts'

let world: AccountsWorld
let user: Member
beforeAll(async () => {
  world = await startAccountsWorld()
  user = await world.member('ada')
})
afterAll(() => world.close())

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const send = (method: string, path: string, body?: unknown) => world.admin.browser.send(method, path, body)
const allow = (member: Member, isOn: boolean) =>
  send('PUT', `/api/auth/admin/users/${member.id}/permissions`, { assistant: isOn })
const sendMessage = (body: unknown, headers: Record<string, string> = {}) =>
  world.call('/mcp', { method: 'POST', headers: { ...MESSAGE_HEADERS, ...headers }, body: JSON.stringify(body) })

async function openSession(headers: Record<string, string>): Promise<string> {
  const reply = await sendMessage(INITIALIZE, headers)
  expect(reply.status, reply.text).toBe(200)
  return String(reply.headers['mcp-session-id'])
}

describe('callers', () => {
  it('without a credential, or without the right, reach nothing', async () => {
    expect((await sendMessage(INITIALIZE)).status).toBe(401)
    expect((await sendMessage(INITIALIZE, bearer('wrong'))).status).toBe(401)
    const refused = await sendMessage(INITIALIZE, user.headers)
    expect([refused.status, refused.headers['mcp-session-id']]).toEqual([403, undefined])
  })

  verifies(
    ['assistant:tools:rights'],
    'see and reach the tools whose routes they may call, and no others',
    async () => {
      await allow(user, true)
      const keys = {
        admin: world.admin.key,
        user: user.key,
        'narrow key': (await world.keyOf(user, { scopes: { routes: ['assistant', 'general'] } })).key,
        'bare key': (await world.keyOf(world.admin, { scopes: { routes: ['assistant'] } })).key,
        'admin key': (await world.keyOf(world.admin, { scopes: { routes: ['assistant', 'admin'] } })).key,
      }
      const seen: Record<string, readonly string[]> = {}
      for (const [caller, key] of Object.entries(keys)) {
        await using mcp = await connectMcp(world.url, bearer(key))
        const names = await mcp.names()
        seen[caller] = names.toSorted()
        const hidden = ALL_TOOLS.filter(({ name }) => !names.includes(name))
        for (const { name } of hidden) await expect(mcp.tool(name), name).rejects.toMatchObject({ code: -32602 })
        for (const { name, routes, effect } of ALL_TOOLS) {
          const statuses = await Promise.all(routes.map((route) => callRoute(route, key)))
          const isOpen = statuses.every((status) => status !== 401 && status !== 403)
          // Probing a route that writes would change the server.
          if (effect === 'read') expect(names.includes(name), `${caller} ${name}`).toBe(isOpen)
        }
      }
      expect(seen.admin).toEqual(ALL_TOOLS.map(({ name }) => name).toSorted())
      expect(seen.user).toEqual(['get_own_usage', 'get_router_status', 'get_version', 'list_models'])
      expect(seen['narrow key']).toEqual(['get_router_status', 'get_version', 'list_models'])
      expect(seen['bare key']).toEqual([])
      expect(seen['admin key']).toContain('delete_model')
      expect(seen['admin key']).not.toContain('get_version')
    },
  )

  it('lose tools with their rights, in an open session', async () => {
    const root = await world.member('root')
    await send('PUT', `/api/auth/admin/users/${root.id}/role`, { role: 'admin' })
    await using mcp = await connectMcp(world.url, root.headers)
    expect(await mcp.names()).toContain('delete_model')
    await send('PUT', `/api/auth/admin/users/${root.id}/role`, { role: 'user' })
    await allow(root, true)
    await eventually(async () => expect(await mcp.names()).not.toContain('delete_model'))
    await expect(mcp.tool('delete_model', { name: 'm' })).rejects.toMatchObject({ code: -32602 })
    await allow(root, false)
    await eventually(() => expect(mcp.names()).rejects.toThrow())
  })

  it('are noted with the change that a tool has made', async () => {
    await using mcp = await connectMcp(world.url, world.admin.headers)
    await mcp.tool('create_model_config', { config: 'name: made\nbackend: mock\n' })
    const reply = await world.call('/api/pii/events?change=model.create', { headers: { ...world.admin.headers } })
    expect(reply.json()).toMatchObject({
      events: [
        {
          kind: 'administration',
          actor: world.admin.email,
          user_id: world.admin.id,
          api_key_id: world.admin.keyId,
          tool: 'create_model_config',
          target: 'made.yaml',
        },
      ],
    })
  })

  it('never read settings with their secrets', async () => {
    const made = await send('POST', '/api/settings', { hf_token: 'hf_secretsecret' })
    await using mcp = await connectMcp(world.url, world.admin.headers)
    expect((await mcp.tool('get_settings')).text).not.toContain('hf_secretsecret')
    expect((await mcp.tool('get_settings', { sources: true })).text, made.text).not.toContain('hf_secretsecret')
  })
})

describe('sessions', () => {
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

  it('do not exist for anybody else', async () => {
    await allow(user, true)
    const session = { 'mcp-session-id': await openSession({ ...user.headers }) }
    const other = await world.keyOf(user)
    for (const headers of [world.admin.headers, bearer(other.key)]) {
      expect((await sendMessage(list, { ...headers, ...session })).status).toBe(404)
      const stream = { accept: 'text/event-stream', ...headers, ...session }
      expect((await world.call('/mcp', { headers: stream })).status).toBe(404)
      expect((await world.call('/mcp', { method: 'DELETE', headers: { ...headers, ...session } })).status).toBe(404)
    }
    expect((await sendMessage(list, { ...user.headers, ...session })).status).toBe(200)
  })

  it('end their streams when their caller loses the account', async () => {
    const gone = await world.member('gone')
    await allow(gone, true)
    const session = await openSession({ ...gone.headers })
    const stream = await fetch(new URL('/mcp', world.url), {
      headers: { ...gone.headers, accept: 'text/event-stream', 'mcp-session-id': session },
    })
    expect(stream.status).toBe(200)
    await send('PUT', `/api/auth/admin/users/${gone.id}/status`, { status: 'disabled' })
    // It reads to the end, which would not come.
    await stream.text().catch(() => undefined)
    expect((await sendMessage(list, { ...gone.headers, 'mcp-session-id': session })).status).toBe(401)
  })

  it('are limited, and the unused ones give way', async () => {
    await allow(user, true)
    const first = await openSession({ ...user.headers })
    for (let opened = 0; opened < 32; opened += 1) await openSession({ ...user.headers })
    expect((await sendMessage(list, { ...user.headers, 'mcp-session-id': first })).status).toBe(404)
  })
})

/** The status with which a route answers a caller. */
async function callRoute(route: string, key: string): Promise<number> {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern.replace(/:(\w+)(\{[^}]*\})?/g, 'none').replace('*', 'none')
  return (await world.call(path, { method, headers: bearer(key) })).status
}
