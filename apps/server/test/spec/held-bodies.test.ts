import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect } from 'vitest'
import {
  type AccountsWorld,
  createMovableClock,
  type Member,
  PASSWORD,
  startAccountsWorld,
} from '../support/accounts-world.ts'
import { verifies } from './verifies.ts'

const USERS = '/api/auth/admin/users'
const YEAR_MS = 366 * 86_400_000

interface Held {
  /** Sends the body. @returns the reply */
  finish(): Promise<{ readonly status: number; readonly text: string }>
}

/** Sends the head of a request, and waits until the server reads its body. */
async function hold(
  url: string,
  asked: { method: string; path: string; headers: object; body: unknown },
): Promise<Held> {
  const text = JSON.stringify(asked.body)
  const headers = { ...asked.headers, 'content-type': 'application/json', 'content-length': text.length }
  const sent = request(`${url}${asked.path}`, {
    method: asked.method,
    headers: { ...headers, expect: '100-continue' },
    agent: false,
  })
  const replied = once(sent, 'response') as Promise<[IncomingMessage]>
  replied.catch(() => undefined)
  sent.flushHeaders()
  await Promise.race([once(sent, 'continue'), replied])
  return {
    async finish() {
      sent.end(text)
      const [reply] = await replied
      return { status: reply.statusCode ?? 0, text: Buffer.concat(await reply.toArray()).toString() }
    },
  }
}

interface Case {
  readonly name: string
  /** Whether the member is an admin at first. */
  readonly isAdmin?: boolean
  readonly by: 'session' | 'key'
  readonly asked: (member: Member) => readonly [method: string, path: string, body: unknown]
  readonly lose: (world: AccountsWorld, member: Member, clock: { move(ms: number): void }) => Promise<unknown>
  readonly status: number
}

const change =
  (path: string, body: object) =>
  (world: AccountsWorld, { id }: Member) =>
    world.admin.browser.send('PUT', `${USERS}/${id}/${path}`, body)
const demote = change('role', { role: 'user' })
const KEY = ['POST', '/api/auth/api-keys', { name: 'late' }] as const
const NAME = ['PUT', '/api/auth/profile', { name: 'late' }] as const

const CASES: readonly Case[] = [
  {
    name: 'a session that ends with its password makes no key',
    ...{
      by: 'session',
      asked: () => KEY,
      lose: change('password', { password: 'other-Marble 92 otter' }),
      status: 401,
    },
  },
  {
    name: 'a session that is left makes no key',
    ...{
      by: 'session',
      asked: () => KEY,
      lose: (_, { browser }) => browser.send('POST', '/api/auth/logout'),
      status: 401,
    },
  },
  {
    name: 'a disabled account changes no name',
    by: 'session',
    asked: () => NAME,
    lose: change('status', { status: 'disabled' }),
    status: 401,
  },
  {
    name: 'a deleted account changes no name',
    by: 'session',
    asked: () => NAME,
    lose: (world, { id }) => world.admin.browser.send('DELETE', `${USERS}/${id}`),
    status: 401,
  },
  {
    name: 'a session that has expired makes no key',
    by: 'session',
    asked: () => KEY,
    lose: async (_world, _member, clock) => clock.move(YEAR_MS),
    status: 401,
  },
  {
    name: 'a revoked key changes no name',
    by: 'key',
    asked: () => NAME,
    lose: (_, { browser, keyId }) => browser.send('DELETE', `/api/auth/api-keys/${keyId}`),
    status: 401,
  },
  {
    name: 'a former admin makes no invite',
    isAdmin: true,
    ...{
      by: 'session',
      asked: () => ['POST', '/api/auth/admin/invites', { expiresInHours: 1 }],
      lose: demote,
      status: 403,
    },
  },
  {
    name: 'a former admin sets nothing',
    isAdmin: true,
    by: 'session',
    asked: () => ['POST', '/api/settings', { csrf: true }],
    lose: demote,
    status: 403,
  },
  {
    name: 'a former admin gives nobody a password',
    isAdmin: true,
    by: 'key',
    asked: ({ id }) => ['PUT', `${USERS}/${id}/password`, { password: PASSWORD }],
    lose: demote,
    status: 403,
  },
]

describe('AU-7: a request whose body is held back', () => {
  verifies('access:ended:held-bodies', 'does nothing with rights that end meanwhile', async () => {
    const clock = createMovableClock()
    await using world = await startAccountsWorld({ clock })
    // the clock moves in one of them, and ends the others' sessions
    const isLast = ({ name }: Case): boolean => name.includes('expired')
    for (const one of [...CASES.filter((other) => !isLast(other)), ...CASES.filter(isLast)]) {
      const member = await world.member(`holder-${CASES.indexOf(one)}`)
      if (one.isAdmin === true) await change('role', { role: 'admin' })(world, member)
      const [method, path, body] = one.asked(member)
      const headers = one.by === 'key' ? member.headers : { cookie: `session=${member.session}`, origin: world.url }
      const held = await hold(world.url, { method, path, headers, body })
      await one.lose(world, member, clock)
      const { status, text } = await held.finish()
      expect([one.name, status, text]).toEqual([one.name, one.status, expect.not.stringContaining('late')])
    }
  })

  verifies('access:ended:held-bodies', 'acts with the rights of the time when it is whole', async () => {
    await using world = await startAccountsWorld()
    const member = await world.member('holder')
    await change('role', { role: 'admin' })(world, member)
    const headers = { cookie: `session=${member.session}` }
    const held = await hold(world.url, { method: 'POST', path: KEY[1], headers, body: KEY[2] })
    await demote(world, member)
    const { status, text } = await held.finish()
    expect([status, JSON.parse(text)]).toMatchObject([201, { name: 'late', role: 'user' }])
  })
})
