import { startPostgres } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type AccountsWorld, createMovableClock, type Member, startAccountsWorld } from '../support/accounts-world.ts'
import { startEverything, TALKS } from '../support/everything-running.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const postgres = await startPostgres()
afterAll(() => postgres[Symbol.asyncDispose]())
if (!postgres.available) console.warn(`rights that end on another server are not tried: ${postgres.reason}`)

const USERS = '/api/auth/admin/users'
const HOUR_MS = 3_600_000
const EXPIRES = 'the key expires'

/** A way to lose rights, and how requests are refused then. */
interface Loss {
  readonly name: string
  /** Rights that the member has at first. */
  readonly first?: (world: AccountsWorld, member: Member) => Promise<unknown>
  readonly model?: string
  readonly lose: (world: AccountsWorld, member: Member, clock: { move(ms: number): void }) => Promise<unknown>
  readonly status: number
  /** Whether the caller loses the whole route, and not a model. @default for a status of 401 */
  readonly closesSocket?: boolean
}

const allow =
  (...models: string[]) =>
  (world: AccountsWorld, { id }: Member) =>
    world.admin.browser.send('PUT', `${USERS}/${id}/models`, { enabled: true, models })

const LOSSES: readonly Loss[] = [
  { name: 'the model is taken from the list', first: allow('m', 'other'), lose: allow('other'), status: 403 },
  { name: 'a list begins that has no models', lose: allow(), status: 403 },
  { name: 'the alias is taken from the list', model: 'nick', first: allow('nick'), lose: allow('other'), status: 403 },
  { name: 'the router is taken from the list', model: 'auto', first: allow('auto'), lose: allow('other'), status: 403 },
  {
    name: 'chat is switched off',
    lose: ({ admin }, { id }) => admin.browser.send('PUT', `${USERS}/${id}/permissions`, { chat: false }),
    status: 403,
    closesSocket: true,
  },
  { name: EXPIRES, lose: async (_world, _member, clock) => clock.move(2 * HOUR_MS), status: 401 },
  {
    name: 'the key is revoked',
    lose: (_world, { browser, keyId }) => browser.send('DELETE', `/api/auth/api-keys/${keyId}`),
    status: 401,
  },
  {
    name: 'an admin blocks the key',
    lose: ({ admin }, { keyId }) => admin.browser.send('PATCH', `/api/auth/admin/api-keys/${keyId}`, { blocked: true }),
    status: 401,
  },
  {
    name: 'the key gets a new value without a grace',
    lose: (_world, { browser, keyId }) => browser.send('POST', `/api/auth/api-keys/${keyId}/rotate`, { grace: '0' }),
    status: 401,
  },
  {
    name: 'the key is edited for other models',
    lose: (_world, { browser, keyId }) =>
      browser.send('PATCH', `/api/auth/api-keys/${keyId}`, { scopes: { models: ['other'] } }),
    status: 403,
  },
  {
    name: 'the key is edited for other addresses',
    lose: (_world, { browser, keyId }) =>
      browser.send('PATCH', `/api/auth/api-keys/${keyId}`, { scopes: { addresses: ['192.0.2.0/24'] } }),
    status: 403,
    closesSocket: true,
  },
]

async function addModels(server: TestServer): Promise<void> {
  await server.model('m', TALKS)
  await server.model('other')
  await server.writeModelFile('nick.yaml', stringify({ name: 'nick', alias: 'm' }))
  // the classifier is never reached: every request goes to the fallback
  await server.writeModelFile(
    'auto.yaml',
    stringify({
      name: 'auto',
      router: {
        classifier_model: 'other',
        policies: [{ label: 'a', description: 'All' }],
        candidates: [{ model: 'm', labels: ['a'] }],
        fallback: 'm',
      },
    }),
  )
}

/** A member whose key lives for an hour. */
async function createMember(world: AccountsWorld, name: string): Promise<Member> {
  const member = await world.member(name)
  const { id, key } = await world.keyOf(member, { expiresIn: '1h' })
  return { ...member, keyId: id, key, headers: { authorization: `Bearer ${key}` } }
}

interface Losing {
  /** The server that takes rights away. */
  readonly world: AccountsWorld
  /** The server that the members use. */
  readonly server: TestServer
  readonly clock: { move(ms: number): void }
}

/** Expects that everything ends that a member runs on a server, with each loss. The clock moves last. */
async function expectEnds({ world, server, clock }: Losing): Promise<void> {
  const still = { move: () => undefined }
  const expectEnd = async (loss: Loss, index: number, used: Losing['clock']) =>
    expectToEnd(loss, { world, server, clock: used }, await createMember(world, `member-${index}`))
  const inTime = LOSSES.filter(({ name }) => name !== EXPIRES)
  await Promise.all(inTime.map((loss, index) => expectEnd(loss, index, still)))
  for (const loss of LOSSES) if (loss.name === EXPIRES) await expectEnd(loss, LOSSES.length, clock)
}

async function expectToEnd(loss: Loss, { world, server, clock }: Losing, member: Member): Promise<void> {
  const readers = world.admin.headers
  await loss.first?.(world, member)
  const running = await startEverything(server, { model: loss.model ?? 'm', headers: member.headers, readers })
  await loss.lose(world, member, clock)
  await running.expectEnded()
  if (loss.closesSocket !== true && loss.status === 403)
    expect(await running.askSocket(loss.model ?? 'm'), loss.name).toBe(403)
  else expect(await running.socketClosed, loss.name).toBe(1008)
  expect((await server.chat(loss.model ?? 'm', {}, member.headers)).status, loss.name).toBe(loss.status)
  await running.close()
}

describe('AU-7: rights that end', () => {
  verifies(
    ['access:ended:models', 'access:ended:expiry'],
    'end streams of every format, responses on sockets and in the background, and nothing of others',
    async () => {
      const clock = createMovableClock()
      await using world = await startAccountsWorld({ clock })
      await addModels(world)
      const others = await startEverything(world, { headers: world.admin.headers, readers: world.admin.headers })
      await expectEnds({ world, server: world, clock })
      await others.expectGoingOn()
      await others.close()
    },
  )

  it('end nothing that may go on: another model, a list that still allows it', async () => {
    await using world = await startAccountsWorld()
    await addModels(world)
    const member = await world.member('staying')
    const running = await startEverything(world, { headers: member.headers, readers: world.admin.headers })
    for (const models of [['m'], ['m', 'other']]) await allow(...models)(world, member)
    await world.admin.browser.send('PUT', `${USERS}/${member.id}/permissions`, { embeddings: false })
    await running.expectGoingOn()
    await allow('nick', 'auto')(world, member)
    await running.expectEnded()
    await running.close()
  })
})

describe.skipIf(!postgres.available)('on another server of the same PostgreSQL', () => {
  it('rights that one takes away end what runs there', async () => {
    if (!postgres.available) return
    const url = await postgres.createDatabase()
    const env = { SVC_AUTH_DATABASE_URL: url, SVC_AUTH_HMAC_SECRET: 'one secret of both of the servers' }
    await using one = await startAccountsWorld({ env })
    const clock = createMovableClock()
    await using other = await startTestServer({ env, clock, flags: ['--auth-enabled'] })
    await addModels(one)
    await addModels(other)
    await expectEnds({ world: one, server: other, clock })
  })
})
