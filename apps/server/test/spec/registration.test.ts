import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountsWorld, createMovableClock, PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { createBrowser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const INVITES = '/api/auth/admin/invites'
const USERS = '/api/auth/admin/users'

interface Invite {
  readonly id: string
  readonly code: string
  readonly createdAt: string
  readonly expiresAt: string
}

async function invite(world: AccountsWorld, fields: object = {}): Promise<Invite> {
  return (await world.admin.browser.send('POST', INVITES, fields)).json() as Invite
}

const register = (server: TestServer, name: string, fields: object = {}) =>
  createBrowser(server.url).send('POST', '/api/auth/register', {
    email: `${name}@site.example`,
    password: PASSWORD,
    ...fields,
  })

async function readAccountStatus(world: AccountsWorld, name: string): Promise<string | undefined> {
  const { users } = (await world.admin.browser.call(USERS)).json() as {
    users: { id: string; email: string; status: string }[]
  }
  return users.find(({ email }) => email === `${name}@site.example`)?.status
}

describe('with approval', () => {
  let world: AccountsWorld
  beforeAll(async () => {
    world = await startAccountsWorld({ flags: ['--auth-registration-mode=approval'] })
  })
  afterAll(() => world.close())

  verifies(
    ['registration:approval:pending', 'user:approval:active', 'user:status:values'],
    'an account waits until an admin lets it in',
    async () => {
      const reply = await register(world, 'waiting')
      expect([reply.status, reply.json(), reply.headers['set-cookie']]).toEqual([
        200,
        { message: 'registration successful, awaiting admin approval', pending: true },
        undefined,
      ])
      const login = () => world.post('/api/auth/login', { email: 'waiting@site.example', password: PASSWORD })
      const waiting = await login()
      expect([waiting.status, waiting.json()]).toEqual([403, { error: 'account pending admin approval' }])
      expect(await readAccountStatus(world, 'waiting')).toBe('pending')
      const { users } = (await world.admin.browser.call(USERS)).json() as { users: { id: string; status: string }[] }
      const { id } = users.find(({ status }) => status === 'pending') ?? { id: '' }
      const approved = await world.admin.browser.send('PUT', `${USERS}/${id}/status`, { status: 'active' })
      expect([approved.status, approved.json()]).toEqual([200, { message: 'status updated' }])
      expect((await login()).status).toBe(200)
    },
  )

  verifies(
    [
      'registration:approval:invited',
      'registration:approval:refused',
      'registration:invite:consumed',
      'invite:use:single',
      'invite:state:used-refused',
    ],
    'a valid invite lets one account in at once, once, and another one lets nobody wait',
    async () => {
      const { code, id } = await invite(world)
      expect((await register(world, 'invited', { inviteCode: code })).status).toBe(201)
      for (const inviteCode of [code, '0'.repeat(64), 'x', 7]) {
        const refused = await register(world, 'second', { inviteCode })
        expect([refused.status, refused.json()]).toEqual([400, { error: 'invalid or expired invite code' }])
      }
      expect(await readAccountStatus(world, 'second')).toBeUndefined()
      expect((await register(world, 'second', { inviteCode: '' })).json()).toMatchObject({ pending: true })
      const used = await world.admin.browser.send('DELETE', `${INVITES}/${id}`)
      expect([used.status, used.json()]).toEqual([400, { error: 'cannot revoke a used invite' }])
    },
  )

  it('AU-2: a taken address is answered like a free one', async () => {
    const [free, taken] = [await register(world, 'free'), await register(world, 'free')]
    expect([taken.status, taken.json()]).toEqual([free.status, free.json()])
  })
})

describe('with invites', () => {
  const clock = createMovableClock()
  let world: AccountsWorld
  beforeAll(async () => {
    world = await startAccountsWorld({ clock, flags: ['--auth-registration-mode=invite'] })
  })
  afterAll(() => world.close())

  verifies(
    ['registration:invite:rejected', 'invite:check:on-submit', 'invite:state:revoked'],
    'nobody registers without a valid one',
    async () => {
      const revoked = await invite(world)
      const done = await world.admin.browser.send('DELETE', `${INVITES}/${revoked.id}`)
      expect([done.status, done.json()]).toEqual([200, { message: 'invite revoked' }])
      const missing = await world.admin.browser.send('DELETE', `${INVITES}/${revoked.id}`)
      expect([missing.status, missing.json()]).toEqual([404, { error: 'invite not found' }])
      for (const [fields, error] of [
        [{}, 'an invite code is required to register'],
        [{ inviteCode: '' }, 'an invite code is required to register'],
        [{ inviteCode: 'x' }, 'invalid or expired invite code'],
        [{ inviteCode: revoked.code }, 'invalid or expired invite code'],
      ] as const) {
        const reply = await register(world, 'outsider', fields)
        expect([reply.status, reply.json()]).toEqual([400, { error }])
      }
      expect(await readAccountStatus(world, 'outsider')).toBeUndefined()
    },
  )

  verifies(
    ['registration:invite:active', 'auth-api:invite-check:read', 'invite:use:expires'],
    'a valid one makes an active account',
    async () => {
      const { code, createdAt, expiresAt } = await invite(world, { expiresInHours: 2 })
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(2 * 3_600_000)
      const check = async (one: string) => (await world.call(`/api/auth/invite/${one}/check`)).json()
      expect(await check(code)).toEqual({ valid: true })
      expect((await register(world, 'guest', { inviteCode: code })).status).toBe(201)
      for (const one of [code, 'x', '0'.repeat(64), '%00']) expect(await check(one)).toEqual({ valid: false })
      const short = await invite(world, { expiresInHours: 1 })
      expect(await check(short.code)).toEqual({ valid: true })
      clock.move(3_600_000)
      expect(await check(short.code)).toEqual({ valid: false })
      expect((await register(world, 'late', { inviteCode: short.code })).status).toBe(400)
    },
  )

  verifies('invite:create:hours', 'their lifetime is a whole number of hours up to a year', async () => {
    const { createdAt, expiresAt } = await invite(world, { expiresInHours: 8760 })
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(8760 * 3_600_000)
    const { invites: before } = (await world.admin.browser.call(INVITES)).json() as { invites: unknown[] }
    for (const expiresInHours of [0, -5, 1.5, 1e-6, 8761, 'x', '24', '', null, true, [24], {}]) {
      const reply = await world.admin.browser.send('POST', INVITES, { expiresInHours })
      expect([reply.status, reply.json()], JSON.stringify(expiresInHours)).toEqual([
        400,
        { error: 'expiresInHours must be a whole number from 1 to 8760' },
      ])
    }
    const { invites: after } = (await world.admin.browser.call(INVITES)).json() as { invites: unknown[] }
    expect(after).toHaveLength(before.length)
  })

  verifies(
    ['auth-api:admin:invite-create', 'auth-api:admin:invite-list', 'auth-api:admin:invite-revoke'],
    'admins make, list and revoke them',
    async () => {
      const { id, code } = await invite(world)
      const { invites } = (await world.admin.browser.call(INVITES)).json() as { invites: { id: string }[] }
      expect(invites[0]).toEqual({
        id,
        codePrefix: code.slice(0, 8),
        note: '',
        usedAt: null,
        usedBy: null,
        createdBy: { id: world.admin.id, name: 'admin' },
        expiresAt: expect.any(String),
        createdAt: expect.any(String),
      })
      expect(JSON.stringify(invites)).not.toContain(code)
    },
  )

  verifies('auth-api:admin:invite-note', 'they carry a note that only admins see', async () => {
    const { id, code } = await invite(world, { note: 'for Ada, of the lab' })
    const { invites } = (await world.admin.browser.call(INVITES)).json() as { invites: { id: string; note: string }[] }
    expect(invites.find((each) => each.id === id)?.note).toBe('for Ada, of the lab')
    expect(JSON.stringify((await world.call(`/api/auth/invite/${code}/check`)).json())).not.toContain('Ada')
    for (const note of [7, null, {}, ['x'], 'x'.repeat(201), 'a\0b', 'two\nlines', 'a\u202eb']) {
      const reply = await world.admin.browser.send('POST', INVITES, { note })
      expect(reply.status, JSON.stringify(note)).toBe(400)
    }
  })

  verifies(
    ['invite:fields:id-and-code', 'invite:create:default-hours', 'invite:url:path'],
    'they are valid for a week by default, and have a page',
    async () => {
      const { id, code, createdAt, expiresAt } = await invite(world)
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(168 * 3_600_000)
      expect([id, code]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
      expect((await world.call(`/invite/${code}`)).status).toBe(200)
      expect((await world.admin.browser.send('POST', INVITES)).status).toBe(201)
    },
  )

  it('AU-13: of 50 registrations with one invite, one makes an account', async () => {
    const { code } = await invite(world)
    const replies = await Promise.all(
      Array.from({ length: 25 }, (_, index) => register(world, `racer-${index}`, { inviteCode: code })),
    )
    const statuses = [...replies.map(({ status }) => status)]
    for (let index = 25; index < 50; index += 1)
      statuses.push((await register(world, `racer-${index}`, { inviteCode: code })).status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(49)
  })
})

describe('the first account', () => {
  it('AU-13: is one, however many register at once', async () => {
    await using server = await startTestServer({
      flags: ['--auth-enabled', '--auth-rate-limit=0', '--auth-registration-mode=open'],
    })
    const replies: { status: number; json(): unknown }[] = []
    // hashings that wait are bounded, so that a hundred come in four waves
    for (let wave = 0; wave < 4; wave += 1)
      replies.push(
        ...(await Promise.all(Array.from({ length: 25 }, (_, index) => register(server, `first-${wave}-${index}`)))),
      )
    const roles = replies.map((reply) => (reply.json() as { user: { role: string } }).user.role)
    expect(roles.filter((role) => role === 'admin')).toHaveLength(1)
    expect(roles).toHaveLength(100)
  })
})

describe('the configured admin', () => {
  verifies('user:admin-email:promoted', 'passes every gate, and is promoted when signing in', async () => {
    await using world = await startAccountsWorld({
      flags: ['--auth-registration-mode=invite'],
      env: { SVC_ADMIN_EMAIL: 'Boss@site.example' },
    })
    expect(world.logLines.join('')).toContain('the address of SVC_ADMIN_EMAIL has no account yet')
    const reply = await register(world, 'boss')
    expect([reply.status, reply.json()]).toMatchObject([201, { user: { role: 'admin' } }])
    const { user } = reply.json() as { user: { id: string } }
    await world.admin.browser.send('PUT', `${USERS}/${user.id}/role`, { role: 'user' })
    const login = await world.post('/api/auth/login', { email: 'boss@site.example', password: PASSWORD })
    expect(login.json()).toMatchObject({ user: { role: 'admin' } })
  })

  verifies('auth-config:admin-email:strict', 'must be approved where that is asked for', async () => {
    await using world = await startAccountsWorld({
      env: { SVC_ADMIN_EMAIL: 'boss@site.example', SVC_ADMIN_EMAIL_STRICT: 'true' },
    })
    const reply = await register(world, 'boss')
    expect(reply.json()).toMatchObject({ user: { role: 'user' } })
    const { user } = reply.json() as { user: { id: string } }
    await world.admin.browser.send('PUT', `${USERS}/${user.id}/status`, { status: 'active' })
    const login = await world.post('/api/auth/login', { email: 'boss@site.example', password: PASSWORD })
    expect(login.json()).toMatchObject({ user: { role: 'admin' } })
  })
})
