import { request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { patienceMs, startPostgres } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { PRESENT_ENGINES } from '../../src/db/__fixtures__/engines.ts'
import { listPaths } from '../../src/http/route-info.ts'
import { type AccountsWorld, PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { modelForAllRoutes, ROUTE_BODIES } from '../support/route-bodies.ts'
import { startSwitchableProxy } from '../support/switchable-proxy.ts'
import { verifies } from './verifies.ts'

const running = await startPostgres()
afterAll(() => running[Symbol.asyncDispose]())
if (!running.available) console.warn(`a PostgreSQL that hangs is not tried: ${running.reason}`)

const SHARED = 'shared-key-of-everybody'
/** A route answers within this time, whatever its database does. A server of a test shares its processor with its clients. */
const DEADLINE_MS = patienceMs(20_000)

interface Answer {
  readonly name: string
  readonly status: number | 'unanswered'
}

/** Sends a request. It is answered when the head of the reply is there: some replies are streams without an end. */
function ask(world: AccountsWorld, name: string, headers: Record<string, string>): Promise<Answer> {
  const [method = '', pattern = ''] = name.split(' ')
  const body = JSON.stringify({ model: 'm', ...ROUTE_BODIES[pattern] })
  return new Promise((resolve) => {
    const outgoing = request(
      `${world.url}${pattern.replace(/:\w+(?:\{[^}]*\})?/g, 'x').replace('*', 'y')}`,
      {
        method,
        agent: false,
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: { ...headers, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
      },
      (reply) => {
        resolve({ name, status: reply.statusCode ?? 0 })
        reply.on('error', () => undefined).destroy()
      },
    )
    outgoing.on('error', () => resolve({ name, status: 'unanswered' }))
    outgoing.end(method === 'GET' || method === 'HEAD' ? undefined : body)
  })
}

/** Asks every route at once, as an admin with a session, one with a key, and with a shared key. */
async function askAll(world: AccountsWorld): Promise<Readonly<Record<'session' | 'key' | 'shared', Answer[]>>> {
  const names = world.server.routes.flatMap((route) => listPaths(route).map((path) => `${route.method} ${path}`))
  const of = (headers: Record<string, string>) => Promise.all(names.map((name) => ask(world, name, headers)))
  const [session, key, shared] = await Promise.all([
    of({ cookie: `session=${world.admin.session}`, origin: world.url }),
    of({ ...world.admin.headers }),
    of({ authorization: `Bearer ${SHARED}` }),
  ])
  return { session, key, shared }
}

/** The second of two unloads says that the model is not loaded, with 500. */
const isFault = ({ name, status }: Answer): boolean =>
  status === 'unanswered' || (status === 500 && !name.endsWith('/backend/shutdown'))

function expectAnswered(answers: readonly Answer[]): void {
  expect(answers.filter(isFault)).toEqual([])
  expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0)
}

describe.skipIf(!running.available)('a PostgreSQL that keeps its connections and does not answer', () => {
  async function start() {
    if (!running.available) throw new Error(running.reason)
    const url = new URL(await running.createDatabase())
    const proxy = await startSwitchableProxy(Number(url.port))
    url.host = `127.0.0.1:${proxy.port}`
    const world = await startAccountsWorld({
      flags: [`--api-keys=${SHARED}`],
      env: { SVC_AUTH_DATABASE_URL: url.href },
    })
    await modelForAllRoutes(world)
    const chat = async () => (await world.chat('m', {}, world.admin.headers)).status
    expect(await chat()).toBe(200)
    return {
      proxy,
      world,
      chat,
      async [Symbol.asyncDispose]() {
        proxy.open()
        await world.close()
        await proxy[Symbol.asyncDispose]()
      },
    }
  }

  verifies('access:database:hangs', 'is 503 on every route, and recovers by itself', async () => {
    await using place = await start()
    place.proxy.hang()
    const { session, key, shared } = await askAll(place.world)
    for (const answers of [session, key, shared]) expectAnswered(answers)
    place.proxy.open()
    await expect.poll(place.chat).toBe(200)
  })

  it('on old connections only is 503, and gets new ones', async () => {
    await using place = await start()
    place.proxy.hang('open')
    const first = ['GET /api/auth/me', 'GET /v1/models', 'POST /v1/chat/completions'].map((name) =>
      ask(place.world, name, { ...place.world.admin.headers }),
    )
    const answers = await Promise.all(first)
    // Facts of a caller that are known need no database.
    expectAnswered(answers)
    expect(answers[0]?.status).toBe(503)
    expect(await place.chat()).toBe(200)
  })

  it('does not hold up a stop', async () => {
    await using place = await start()
    place.proxy.hang()
    const asked = ask(place.world, 'GET /api/auth/me', { ...place.world.admin.headers })
    await place.world.close()
    expect((await asked).status).not.toBe(200)
  })
})

// of one process, only connections of one engine see the locks of each other
it.each(['IMMEDIATE', 'EXCLUSIVE'])('every route answers while a SQLite file is locked: %s', async (lock) => {
  const [engine = ''] = PRESENT_ENGINES
  await using world = await startAccountsWorld({ flags: [`--api-keys=${SHARED}`] })
  await modelForAllRoutes(world)
  const Client = createRequire(import.meta.url)(engine)
  const other = new Client(join(world.folder, 'data', 'database.db'))
  try {
    other.exec(`BEGIN ${lock}`)
    const { session, key, shared } = await askAll(world)
    for (const answers of [session, key, shared]) expectAnswered(answers)
    other.exec('ROLLBACK')
  } finally {
    other.close()
  }
  const { email } = world.admin
  await expect.poll(async () => (await world.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200)
})
