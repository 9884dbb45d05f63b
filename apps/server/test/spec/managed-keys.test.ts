import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountsWorld, type Member, startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const ADMIN_KEYS = '/api/auth/admin/api-keys'
const OWN_KEYS = '/api/auth/api-keys'

let world: AccountsWorld
let ada: Member
beforeAll(async () => {
  world = await startAccountsWorld({ flags: ['--trusted-proxies=127.0.0.1', '--api-keys=a-shared-key'] })
  await world.model('m')
  await world.model('other')
  ada = await world.member('ada')
})
afterAll(() => world.close())

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Makes a key as the admin. */
async function makeKey(fields: Readonly<Record<string, unknown>> = {}): Promise<{ id: string; key: string }> {
  const reply = await world.admin.browser.send('POST', ADMIN_KEYS, { name: 'robot', ...fields })
  if (reply.status !== 201) throw new Error(`no key: ${reply.status} ${reply.text}`)
  return reply.json() as { id: string; key: string }
}

const ask = async (key: string, headers: Readonly<Record<string, string>> = {}, server: TestServer = world) =>
  (await server.chat('m', {}, { ...bearer(key), ...headers })).status

const send = async (who: Member, method: string, path: string, body?: object) => {
  const reply = await who.browser.send(method, path, body)
  return { status: reply.status, body: reply.json() as Record<string, unknown> }
}

describe('a key of a service', () => {
  it('works within its limits, opens no session, and is no account and no admin', async () => {
    const { id, key } = await makeKey({ scopes: { models: ['m'] }, note: 'nightly' })
    expect(await ask(key)).toBe(200)
    expect((await world.chat('other', {}, bearer(key))).status).toBe(403)
    const call = async (method: string, path: string, body?: object) => {
      const init = { method, headers: { ...bearer(key), 'content-type': 'application/json' } }
      const reply = await world.call(path, body === undefined ? init : { ...init, body: JSON.stringify(body) })
      return [reply.status, reply.json()] as const
    }
    expect((await call('GET', '/api/auth/me'))[1]).toMatchObject({ id: `service:${id}`, name: 'robot', role: 'user' })
    expect((await call('GET', ADMIN_KEYS))[0]).toBe(403)
    expect(await call('GET', OWN_KEYS)).toEqual([200, { keys: [] }])
    expect((await call('POST', OWN_KEYS, { name: 'x' }))[0]).toBe(403)
    expect((await call('PATCH', `${OWN_KEYS}/${id}`, { name: 'x' }))[0]).toBe(400)
    expect((await call('POST', `${OWN_KEYS}/${id}/rotate`, {}))[0]).toBe(400)
    expect((await call('DELETE', `${OWN_KEYS}/${id}`))[0]).toBe(404)
    expect((await call('PUT', '/api/auth/profile', { name: 'x' }))[0]).toBe(400)
    const login = await world.browser().send('POST', '/api/auth/token-login', { token: key })
    expect([login.status, login.headers['set-cookie']]).toEqual([403, undefined])
  })

  it('stands in the usage under its name', async () => {
    const { id, key } = await makeKey({ name: 'counted robot' })
    expect(await ask(key)).toBe(200)
    const usage = await world.admin.browser.call('/api/auth/admin/usage?period=day')
    expect(usage.text).toContain('counted robot')
    expect(usage.text).toContain(`service:${id}`)
  })
})

describe('the routes of admins for keys', () => {
  it('list, show, edit, block, rotate and revoke keys of services and of others', async () => {
    const service = await makeKey({ name: 'listed robot', note: 'in the Cellar', expiresIn: '30d' })
    const forAda = await makeKey({ name: 'made for ada', user_id: ada.id })
    const list = async (query: string) => {
      const { keys } = (await send(world.admin, 'GET', `${ADMIN_KEYS}?${query}`)).body as {
        keys: Record<string, unknown>[]
      }
      return keys.map(({ name }) => name)
    }
    expect(await list('text=cellar')).toEqual(['listed robot'])
    expect(await list(`user_id=${ada.id}`)).toEqual(['made for ada', 'a key'])
    expect(await list('service=true&limit=1')).toEqual(['listed robot'])
    expect(await list('service=false&text=robot')).toEqual([])
    expect(await list(`service=false&after=${forAda.id}`)).not.toContain('made for ada')
    const shown = (await send(world.admin, 'GET', `${ADMIN_KEYS}/${forAda.id}`)).body
    expect(shown).toMatchObject({
      user: { id: ada.id, email: ada.email },
      createdBy: world.admin.id,
      name: 'made for ada',
    })
    expect(JSON.stringify(shown)).not.toContain(forAda.key)
    const edited = await send(world.admin, 'PATCH', `${ADMIN_KEYS}/${service.id}`, { note: null, expiresAt: null })
    expect(edited).toMatchObject({ status: 200, body: { user: null, createdBy: world.admin.id } })
    expect(Object.keys(edited.body)).not.toEqual(expect.arrayContaining(['note']))
    expect(Object.keys(edited.body)).not.toEqual(expect.arrayContaining(['expiresAt']))
    const block = { blocked: true, blockReason: 'leaked' }
    expect((await send(world.admin, 'PATCH', `${ADMIN_KEYS}/${service.id}`, block)).body).toMatchObject({
      ...block,
      blockedBy: 'admin',
    })
    expect([await ask(service.key), await list('blocked=true')]).toEqual([401, ['listed robot']])
    await send(world.admin, 'PATCH', `${ADMIN_KEYS}/${service.id}`, { blocked: false })
    expect(await ask(service.key)).toBe(200)
    const rotated = await send(world.admin, 'POST', `${ADMIN_KEYS}/${service.id}/rotate`, { grace: '1h' })
    const { key } = rotated.body as { key: string }
    expect([rotated.status, await ask(service.key), await ask(key)]).toEqual([200, 200, 200])
    expect(rotated.body).toMatchObject({ keyPrefix: key.slice(0, 12), previousValidUntil: expect.any(String) })
    expect((await send(world.admin, 'DELETE', `${ADMIN_KEYS}/${service.id}`)).status).toBe(200)
    expect([await ask(service.key), await ask(key)]).toEqual([401, 401])
    expect((await send(world.admin, 'DELETE', `${ADMIN_KEYS}/${service.id}`)).status).toBe(404)
  })

  it.each([
    ['GET', `${ADMIN_KEYS}?service=yes`, undefined, 400],
    ['GET', `${ADMIN_KEYS}?blocked=1`, undefined, 400],
    ['GET', `${ADMIN_KEYS}?text=${'x'.repeat(201)}`, undefined, 400],
    ['GET', `${ADMIN_KEYS}?text=%00`, undefined, 400],
    ['GET', `${ADMIN_KEYS}/none`, undefined, 404],
    ['POST', ADMIN_KEYS, { name: 'x', user_id: 'nobody' }, 404],
    ['POST', ADMIN_KEYS, { name: 'x', user_id: 7 }, 400],
    ['POST', ADMIN_KEYS, { name: 'x', userId: 'x' }, 400],
    ['POST', ADMIN_KEYS, { name: 'x', scopes: { addresses: ['10.0.0.1/8'] } }, 400],
    ['PATCH', `${ADMIN_KEYS}/none`, { name: 'x' }, 404],
    ['PATCH', `${ADMIN_KEYS}/none`, { isBlocked: true }, 400],
    ['POST', `${ADMIN_KEYS}/none/rotate`, {}, 404],
    ['POST', `${ADMIN_KEYS}/none/rotate`, { graceIn: '1h' }, 400],
  ])('%s %s with %j answer %s…', async (method, path, body, status) => {
    expect((await send(world.admin, method, path, body)).status).toBe(status)
    expect((await send(ada, method, path, body)).status, 'for others').toBe(403)
  })

  it('refuse a key with limits, which would make one without', async () => {
    const limited = await world.keyOf(world.admin, { scopes: { routes: ['admin'] } })
    const { id } = await makeKey()
    for (const [method, path] of [
      ['POST', ADMIN_KEYS],
      ['PATCH', `${ADMIN_KEYS}/${id}`],
      ['POST', `${ADMIN_KEYS}/${id}/rotate`],
    ] as const) {
      const headers = { ...bearer(limited.key), 'content-type': 'application/json' }
      const reply = await world.call(path, { method, headers, body: '{"name":"x"}' })
      expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('an API key with limits')])
    }
    const shared = { ...bearer('a-shared-key'), 'content-type': 'application/json' }
    expect((await world.call(ADMIN_KEYS, { method: 'POST', headers: shared, body: '{"name":"x"}' })).status).toBe(201)
  })

  it('leave entries in the audit log, without values', async () => {
    const { id, key } = await makeKey({ name: 'audited' })
    await send(world.admin, 'PATCH', `${ADMIN_KEYS}/${id}`, { name: 'audited too' })
    await send(world.admin, 'PATCH', `${ADMIN_KEYS}/${id}`, { blocked: true, blockReason: 'a reason' })
    const { body } = await send(world.admin, 'POST', `${ADMIN_KEYS}/${id}/rotate`, {})
    const text = (await world.admin.browser.call('/api/pii/events?kind=administration&change=key')).text
    const { events } = JSON.parse(text) as { events: Record<string, unknown>[] }
    const own = events
      .filter(({ target }) => target === id)
      .map((event) => [event.change, event.target_name, event.details])
    expect(own).toEqual([
      ['key.rotate', 'audited too', undefined],
      ['key.block', 'audited too', 'blocked'],
      ['key.edit', 'audited too', 'name'],
      ['key.create', 'audited', 'of a service; no limits'],
    ])
    for (const value of [key, String(body.key)]) expect(text).not.toContain(value)
  })
})

describe('an own key', () => {
  it('is edited and rotated with a session, and not with a key', async () => {
    const { id, key } = await world.keyOf(ada)
    const edit = { name: 'renamed', note: 'for the train', scopes: { models: ['m'] } }
    expect(await send(ada, 'PATCH', `${OWN_KEYS}/${id}`, edit)).toMatchObject({ status: 200, body: { id, ...edit } })
    expect((await world.chat('other', {}, bearer(key))).status).toBe(403)
    const rotated = await ada.browser.send('POST', `${OWN_KEYS}/${id}/rotate`)
    expect([rotated.status, rotated.headers['cache-control']]).toEqual([200, expect.stringContaining('no-store')])
    const { key: next } = rotated.json() as { key: string }
    expect([await ask(key), await ask(next)]).toEqual([200, 200])
    const headers = { ...bearer(next), 'content-type': 'application/json' }
    const bySelf = await world.call(`${OWN_KEYS}/${id}`, { method: 'PATCH', headers, body: '{"scopes":null}' })
    expect([bySelf.status, bySelf.text]).toEqual([403, expect.stringContaining('session of your account')])
    expect((await send(world.admin, 'PATCH', `${OWN_KEYS}/${id}`, { name: 'x' })).status, 'of another account').toBe(
      404,
    )
  })

  it('that an admin has blocked stays blocked for its owner', async () => {
    const { id, key } = await world.keyOf(ada)
    await send(world.admin, 'PATCH', `${ADMIN_KEYS}/${id}`, { blocked: true, blockReason: 'leaked' })
    expect(await ask(key)).toBe(401)
    expect(await send(ada, 'PATCH', `${OWN_KEYS}/${id}`, { blocked: false })).toMatchObject({ status: 403 })
    const { key: next } = (await send(ada, 'POST', `${OWN_KEYS}/${id}/rotate`, {})).body as { key: string }
    expect([await ask(key), await ask(next)]).toEqual([401, 401])
  })

  it('signs a browser in until it is blocked', async () => {
    const { id, key } = await world.keyOf(ada)
    const browser = world.browser()
    expect((await browser.send('POST', '/api/auth/token-login', { token: key })).status).toBe(200)
    expect((await browser.call('/api/auth/me')).status).toBe(200)
    await send(ada, 'PATCH', `${OWN_KEYS}/${id}`, { blocked: true })
    expect((await browser.call('/api/auth/me')).status).toBe(401)
  })
})

describe('a key for addresses', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('works from these alone, as the trusted proxy reports the client', async () => {
    const { key } = await makeKey({ scopes: { addresses: ['203.0.113.0/24', '2001:db8::/32'] } })
    for (const [address, status] of [
      ['203.0.113.9', 200],
      ['::ffff:203.0.113.9', 200],
      ['2001:db8::7', 200],
      ['203.0.113.9:4711', 200],
      ['198.51.100.1', 403],
      ['203.0.113.9, 198.51.100.1', 403],
      ['203.0.113.9, 198.51.100.1:80', 403],
      ['203.0.113.9, unknown', 403],
      ['0313.0.113.9', 403],
    ] as const)
      expect([address, await ask(key, from(address))]).toEqual([address, status])
    expect(await ask(key), 'from the proxy itself').toBe(403)
    const refused = await world.chat('m', {}, { ...bearer(key), ...from('198.51.100.1') })
    expect(refused.text).not.toContain('203.0.113')
    expect(refused.text).toContain('the API key may not be used from this address')
    // a public route has no use for the key
    expect((await world.call('/healthz', { headers: bearer(key) })).status).toBe(200)
  })

  it('is not helped by a header of anybody else', async () => {
    await using direct = await startAccountsWorld()
    await direct.model('m')
    const scopes = { addresses: ['203.0.113.9'] }
    const { id, key } = await direct.keyOf(direct.admin, { scopes })
    const forwarded = { ...from('203.0.113.9'), 'x-real-ip': '203.0.113.9', forwarded: 'for=203.0.113.9' }
    expect(await ask(key, forwarded, direct)).toBe(403)
    const browser = direct.browser()
    expect((await browser.send('POST', '/api/auth/token-login', { token: key })).status).toBe(403)
    await direct.admin.browser.send('PATCH', `${OWN_KEYS}/${id}`, { scopes: { addresses: ['127.0.0.0/8', '::1'] } })
    expect(await ask(key, forwarded, direct)).toBe(200)
    expect((await browser.send('POST', '/api/auth/token-login', { token: key })).status).toBe(200)
    await direct.admin.browser.send('PATCH', `${OWN_KEYS}/${id}`, { scopes })
    expect((await browser.call('/api/auth/me')).status, 'a session of the key').toBe(403)
  })
})

it('where accounts are off, keys of services do not count', async () => {
  await using shared = await startTestServer({ flags: ['--api-keys=one-shared-key'] })
  await shared.model('m')
  const headers = { ...bearer('one-shared-key'), 'content-type': 'application/json' }
  const reply = await shared.call(ADMIN_KEYS, { method: 'POST', headers, body: '{"name":"x"}' })
  const { key } = reply.json() as { key?: string }
  expect(await ask(key ?? 'none', {}, shared)).toBe(401)
})
