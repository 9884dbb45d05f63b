import { eventually, readSse, startPostgres } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/ports.ts'
import {
  type AccountsWorld,
  createMembers,
  type Member,
  PASSWORD,
  startAccountsWorld,
} from '../support/accounts-world.ts'
import { openResponseSocket } from '../support/response-socket.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const postgres = await startPostgres()
afterAll(() => postgres[Symbol.asyncDispose]())
if (!postgres.available) console.warn(`two servers on one database are not tried: ${postgres.reason}`)

const TALKS = { rules: [{ rpc: 'PredictStream', do: { text: 'on ', repeat: 100_000, pieceDelayMs: 20 } }] }
const USERS = '/api/auth/admin/users'

/** A stream that a member has opened, and its end. */
async function openStream(server: TestServer, headers: Readonly<Record<string, string>>) {
  const reply = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'm',
      stream: true,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'Hello there' }],
    }),
  })
  expect(reply.status).toBe(200)
  const events = readSse(reply)
  await events.next()
  return {
    events,
    async rest(): Promise<string> {
      const seen: string[] = []
      for await (const { data = '' } of events) seen.push(data)
      return seen.slice(-2).join()
    },
    close: () => reply.body?.cancel().catch(() => undefined),
  }
}

/** The time that a change takes until a stream has ended with the refusal. */
async function expectEnded(stream: Awaited<ReturnType<typeof openStream>>, change: () => Promise<unknown>) {
  const ended = stream.rest()
  await change()
  expect(await ended).toContain('access has ended')
}

const as = (world: AccountsWorld) => world.admin.browser

describe('AU-7: a stream ends', () => {
  const cases: readonly (readonly [
    string,
    'key' | 'session',
    (world: AccountsWorld, member: Member) => Promise<unknown>,
  ])[] = [
    ['the key is revoked', 'key', (_, { browser, keyId }) => browser.send('DELETE', `/api/auth/api-keys/${keyId}`)],
    [
      'the account is disabled',
      'key',
      (world, { id }) => as(world).send('PUT', `${USERS}/${id}/status`, { status: 'disabled' }),
    ],
    ['the account is deleted', 'key', (world, { id }) => as(world).send('DELETE', `${USERS}/${id}`)],
    [
      'the feature is switched off',
      'key',
      (world, { id }) => as(world).send('PUT', `${USERS}/${id}/permissions`, { chat: false }),
    ],
    ['the session is logged out', 'session', (_, { browser }) => browser.send('POST', '/api/auth/logout')],
    [
      'the password is reset',
      'session',
      (world, { id }) => as(world).send('PUT', `${USERS}/${id}/password`, { password: 'copper-Lantern 47 heron' }),
    ],
    [
      'the owner changes the password',
      'session',
      (_, { browser }) =>
        browser.send('PUT', '/api/auth/password', {
          current_password: PASSWORD,
          new_password: 'copper-Lantern 47 heron',
        }),
    ],
  ]

  it('when its caller loses the right to it, and that of another goes on', async () => {
    await using world = await startAccountsWorld()
    await world.model('m', TALKS)
    const staying = await openStream(world, (await world.member('staying')).headers)
    for (const [index, [name, kind, change]] of cases.entries()) {
      const member = await world.member(`member-${index}`)
      const headers = kind === 'key' ? member.headers : { cookie: `session=${member.session}` }
      const stream = await openStream(world, headers)
      await expectEnded(stream, () => change(world, member))
      expect([401, 403], name).toContain((await world.chat('m', {}, headers)).status)
    }
    expect((await staying.events.next()).done).toBe(false)
    await staying.close()
  })

  it('not with a rotation of its session', async () => {
    await using world = await startAccountsWorld()
    await world.model('m', TALKS)
    const member = await world.member('rotating')
    const stream = await openStream(world, { cookie: `session=${member.session}` })
    // gives the session another value and has everybody looked at again
    await member.browser.send('DELETE', '/api/auth/sessions')
    await member.browser.send('DELETE', '/api/auth/sessions')
    expect(member.browser.cookies.get('session')).not.toBe(member.session)
    for (let count = 0; count < 20; count += 1) expect((await stream.events.next()).done).toBe(false)
    await stream.close()
  })
})

describe('AU-7: a socket is closed', () => {
  it('when the key is revoked or the account is disabled', async () => {
    await using world = await startAccountsWorld()
    await world.model('m')
    for (const change of [
      (member: Member) => member.browser.send('DELETE', `/api/auth/api-keys/${member.keyId}`),
      (member: Member) => as(world).send('PUT', `${USERS}/${member.id}/status`, { status: 'disabled' }),
    ]) {
      const member = await world.member(`socket-${String(change).length}`)
      const socket = await openResponseSocket(world.url, { headers: member.headers })
      await change(member)
      expect(await socket.closed).toBe(1008)
    }
  })
})

describe('what was taken away', () => {
  it('stays away after a restart', async () => {
    await using first = await startAccountsWorld()
    const { key, id } = await first.keyOf(first.admin)
    const kept = first.admin
    await first.admin.browser.send('DELETE', `/api/auth/api-keys/${id}`)
    const { folder } = first
    await first.server.close()
    await using second = await startTestServer({ folder, flags: ['--auth-enabled'] })
    expect((await second.call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status).toBe(401)
    expect((await second.call('/v1/models', { headers: kept.headers })).status).toBe(200)
    expect((await second.call('/v1/models', { headers: { cookie: `session=${kept.session}` } })).status).toBe(200)
  })
})

describe.skipIf(!postgres.available)('two servers on one PostgreSQL', () => {
  it('agree on accounts, and rights that one takes away end on the other', async () => {
    if (!postgres.available) return
    const url = await postgres.createDatabase()
    const env = { SVC_AUTH_DATABASE_URL: url, SVC_AUTH_HMAC_SECRET: 'one secret of both of the servers' }
    await using one = await startAccountsWorld({ env })
    await using other = await startTestServer({
      env,
      flags: ['--auth-enabled', '--auth-registration-mode=open', '--auth-rate-limit=0'],
    })
    await other.model('m', TALKS)
    const member = await one.member('both')
    const stream = await openStream(other, member.headers)
    const socket = await openResponseSocket(other.url, { headers: member.headers })
    await expectEnded(stream, () =>
      one.admin.browser.send('PUT', `${USERS}/${member.id}/status`, { status: 'disabled' }),
    )
    expect(await socket.closed).toBe(1008)
    expect((await other.call('/v1/models', { headers: member.headers })).status).toBe(401)
    const second = await createMembers(other.url).member('second')
    expect((await one.call('/v1/models', { headers: second.headers })).status).toBe(200)
  })

  verifies('access:ended:told', 'one tells the other of a revoked key: nobody has to ask', async () => {
    if (!postgres.available) return
    const url = await postgres.createDatabase()
    const env = { SVC_AUTH_DATABASE_URL: url, SVC_AUTH_HMAC_SECRET: 'one secret of both of the servers' }
    await using one = await startAccountsWorld({ env })
    // The other server never looks by itself, and what it has verified stays fresh for ever.
    const clock: Clock = {
      ...systemClock,
      monotonic: () => 0,
      sleep: (ms, options) => systemClock.sleep(ms === 500 ? 2 ** 31 - 1 : ms, options),
    }
    await using other = await startTestServer({ env, clock, flags: ['--auth-enabled'] })
    const member = await one.member('told')
    const ask = async () => (await other.call('/v1/models', { headers: member.headers })).status
    expect(await ask()).toBe(200)
    await member.browser.send('DELETE', `/api/auth/api-keys/${member.keyId}`)
    await eventually(async () => expect(await ask()).toBe(401))
  })
})
