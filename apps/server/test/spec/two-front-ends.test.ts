import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import {
  eventually,
  type FileOrigin,
  patienceMs,
  startFileOrigin,
  startNats,
  startOidcIssuer,
  startPostgres,
  startS3,
  startUpstream,
} from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { openMessenger } from '../../src/cluster/nats/__fixtures__/open-messenger.ts'
import type { PriceBook } from '../../src/spend/price-book.ts'
import { PASSWORD } from '../support/accounts-world.ts'
import { createBrowser } from '../support/browser.ts'
import { type CrowdRequest, countStatuses, sendAtOnce } from '../support/crowd.ts'
import { type FrontEnds, startFrontEnds } from '../support/front-ends.ts'
import { mockEntry } from '../support/gallery-world.ts'
import { CLIENT, goThere, oidcEnv, toPath } from '../support/provider-sign-in.ts'
import type { TestServer } from '../support/server.ts'

const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
afterAll(() => Promise.all([postgres[Symbol.asyncDispose](), nats[Symbol.asyncDispose]()]))
const missing = postgres.available ? (nats.available ? undefined : nats.reason) : postgres.reason
/** The address that browsers know. */
const SITE = 'http://svc.example'
/** Failed sign-ins in a minute. */
const LIMIT = 5
/** Requests of a member in an hour. */
const QUOTA = 7
/** Price of every request, whole millionths of a dollar. */
const PRICE = 40_000
/** Each request has the same price, whatever it uses. */
const prices: PriceBook = { currency: 'USD', costOf: () => PRICE }
/** Longest time until the other server refuses a key, with the bus and without: one look at the database. */
const [TOLD_MS, UNTOLD_MS] = [50, 600]

it('says why two front ends were not tried', (context) => {
  if (missing !== undefined) context.skip(missing)
})

describe.skipIf(missing !== undefined)('two front ends on one PostgreSQL and one NATS', () => {
  let world: FrontEnds
  let origin: FileOrigin
  let issuer: Awaited<ReturnType<typeof startOidcIssuer>>
  let s3: Awaited<ReturnType<typeof startS3>>
  const both = () => [world.one, world.other] as const
  const inTurn = (index: number): TestServer => (index % 2 === 0 ? world.one : world.other)
  const ask = async (server: TestServer, path: string): Promise<string> =>
    (await server.call(path, { headers: world.one.admin.headers })).text

  beforeAll(async () => {
    if (!postgres.available || !nats.available) return
    issuer = await startOidcIssuer({
      ...CLIENT,
      redirectUri: `${SITE}/api/auth/oidc/callback`,
      toClaims: (login) => ({ email: `${login}@site.example`, email_verified: true, name: login }),
    })
    // Weights never come.
    const files = { '/index.yaml': Buffer.from(stringify([mockEntry('slow')])) }
    origin = await startFileOrigin({ files, handle: ({ url = '' }) => url.includes('/resolve/') })
    const galleries = JSON.stringify([{ name: 'test', url: `${origin.origin}/index.yaml` }])
    s3 = await startS3()
    const storage = {
      SVC_STORAGE_URL: s3.url,
      SVC_STORAGE_BUCKET: s3.bucket,
      SVC_STORAGE_ACCESS_KEY: s3.accessKey,
      SVC_STORAGE_SECRET_KEY: s3.secretKey,
    }
    world = await startFrontEnds(
      { postgres, nats },
      {
        flags: [`--auth-rate-limit=${LIMIT}`, '--mitm-listen=127.0.0.1:0', `--galleries=${galleries}`],
        env: { ...oidcEnv(issuer.issuer), SVC_BASE_URL: SITE, HF_ENDPOINT: origin.origin, ...storage },
        prices,
      },
    )
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await issuer?.[Symbol.asyncDispose]()
    await origin?.close()
    await s3?.[Symbol.asyncDispose]()
  })

  it('have the same model files and settings', async () => {
    const { one, other } = world
    await one.writeModelFile('shared.yaml', 'name: shared\nbackend: llama\nparameters: {model: only-here.gguf}\n')
    expect(await ask(one, '/v1/models')).toContain('"shared"')
    await eventually(async () => expect(await ask(other, '/v1/models')).toContain('"shared"'))
    const reply = await other.chat('shared', {}, one.admin.headers)
    expect([reply.status, reply.text]).toEqual([500, expect.stringContaining('is not in the models folder')])
    const saved = await one.post('/api/settings', { watchdog_busy_timeout: '7m' }, one.admin.headers)
    expect(saved.status).toBe(200)
    await eventually(async () => expect(await ask(other, '/api/settings')).toContain('"7m"'))
  })

  it('have the same files, also those that are too large for the database', async () => {
    const { one, other } = world
    const { headers } = one.admin
    const content = randomBytes(2 * 1024 * 1024)
    const form = new FormData()
    form.set('purpose', 'assistants')
    form.set('file', new Blob([content]), 'large.bin')
    const sent = await fetch(`${one.url}/v1/files`, { method: 'POST', headers, body: form })
    const { id } = (await sent.json()) as { readonly id: string }
    const read = await fetch(`${other.url}/v1/files/${id}/content`, { headers })
    expect([sent.status, read.status]).toEqual([200, 200])
    expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true)
  })

  it('know the same browsers, and a sign-in at a provider may end at the other', async () => {
    const { one, other } = world
    const cookie = `session=${one.admin.session}`
    const change = { method: 'PUT', body: '{"name":"Admin"}', headers: { cookie, 'content-type': 'application/json' } }
    expect((await other.call('/api/auth/profile', change)).status).toBe(200)
    const browser = createBrowser(one.url)
    const back = await goThere(browser, 'oidc', (url) => issuer.agree(url, 'ada'))
    const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ended = await other.call(toPath(back), { headers: { cookie: cookies } })
    expect([ended.status, ended.headers.location]).toEqual([307, '/app'])
  })

  it('count failed sign-ins together', async () => {
    const { one } = world
    const email = one.admin.email
    const tries = Array.from({ length: 4 * LIMIT }, (_, index) =>
      inTurn(index).post('/api/auth/login', { email, password: `${PASSWORD} ${index}` }),
    )
    const statuses = (await Promise.all(tries)).map((reply) => reply.status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT)
    expect(statuses.filter((status) => status === 429)).toHaveLength(3 * LIMIT)
  })

  it('show clients of the intercepting proxy one authority', async () => {
    await eventually(async () => {
      const shown = await Promise.all(both().map((server) => ask(server, '/api/middleware/proxy-ca.crt')))
      expect(shown[0]).toContain('BEGIN CERTIFICATE')
      expect(shown[1]).toBe(shown[0])
    })
  })

  it('install the same model once, and either ends it', async () => {
    const { one, other } = world
    const replies = await Promise.all(
      both().map((server) => server.post('/models/apply', { id: 'slow' }, one.admin.headers)),
    )
    const [first, second] = replies.map((reply) => (reply.json() as { uuid: string }).uuid)
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).toBe(first)
    const listed = () => Promise.all(both().map((server) => ask(server, '/api/operations')))
    await eventually(async () => {
      for (const list of await listed()) expect(list).toContain('"phase":"Downloading"')
    })
    expect((await listed()).join('')).not.toContain('"error"')
    const ended = await other.post(`/api/operations/${first}/cancel`, {}, one.admin.headers)
    expect(ended.status, ended.text).toBe(200)
    await eventually(async () => expect((await listed()).join('')).not.toContain(first))
  })

  it('let exactly as many requests pass as a quota allows', async () => {
    const { one } = world
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }]
    await using upstream = await startUpstream()
    upstream.replyWith({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ choices }) })
    const proxy = { upstream_url: `${upstream.origin}/v1/chat/completions` }
    const text = stringify({ name: 'far', backend: 'cloud-proxy', known_usecases: ['chat'], proxy })
    await one.writeModelFile('far.yaml', text)
    for (const server of both())
      await eventually(async () => expect((await server.chat('far', {}, one.admin.headers)).status).toBe(200))
    const member = await one.member('counted')
    const rule = { model: '', max_requests: QUOTA, max_total_tokens: null, window: '1h' }
    const set = await one.admin.browser.send('PUT', `/api/auth/admin/users/${member.id}/quotas`, rule)
    expect(set.status, set.text).toBe(200)
    const asked = Array.from({ length: 4 * QUOTA }, (_, index) => inTurn(index).chat('far', {}, member.headers))
    const statuses = (await Promise.all(asked)).map((reply) => reply.status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(QUOTA)
    expect(statuses.filter((status) => status === 429)).toHaveLength(3 * QUOTA)
  })

  it('let exactly as many of 1,000 requests pass at once as fit into a budget', async () => {
    const { one } = world
    await using upstream = await startUpstream()
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    upstream.replyWith({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ choices, usage }) })
    const proxy = { upstream_url: `${upstream.origin}/v1/chat/completions` }
    await one.writeModelFile(
      'paid.yaml',
      stringify({ name: 'paid', backend: 'cloud-proxy', known_usecases: ['chat'], proxy }),
    )
    for (const server of both())
      await eventually(async () => expect((await server.chat('paid', {}, one.admin.headers)).status).toBe(200))
    const member = await one.member('spender')
    const budget = { max_cost_micros: 25 * PRICE + PRICE - 1, currency: 'USD', window: 'day' }
    const fields = { subject_kind: 'account', subject_id: member.id, ...budget }
    const made = await one.post('/api/limits', fields, one.admin.headers)
    expect(made.status, made.text).toBe(200)
    const { limit } = made.json() as { limit: { id: string } }
    // The other server knows the limit within a second: with the next look at the number of rights.
    const ask = (server: TestServer) => server.chat('paid', {}, member.headers)
    const shown = async () => (await ask(world.other)).headers['x-ratelimit-limit-requests']
    const probe = await one.post(
      '/api/limits',
      { ...fields, max_cost_micros: null, max_requests: 5000 },
      one.admin.headers,
    )
    expect(probe.status, probe.text).toBe(200)
    await eventually(async () => expect(await shown()).toBe('5000'))
    const left = async (): Promise<number> => {
      const reply = await one.call(`/api/limits/${limit.id}`, { headers: one.admin.headers })
      return (reply.json() as { limit: { current: { remaining_cost_micros: number } } }).limit.current
        .remaining_cost_micros
    }
    const fits = Math.floor((await left()) / PRICE)
    expect(fits).toBeGreaterThan(0)
    const requests = Array.from({ length: 1000 }, (_, index): CrowdRequest => {
      const body = { model: 'paid', messages: [{ role: 'user', content: 'Hello there' }] }
      return { url: inTurn(index).url, path: '/v1/chat/completions', body, headers: member.headers }
    })
    expect(countStatuses(await sendAtOnce(requests))).toEqual({ 200: fits, 429: 1000 - fits })
    await eventually(async () => expect(await left()).toBe(PRICE - 1))
  })

  it('tell each other of a revoked key, and agree without the bus', async () => {
    if (!nats.available) return
    await using listener = await openMessenger(nats)
    const hints: string[] = []
    listener.subscribe('svc.hints.>', (_, subject) => hints.push(subject))
    expect(await revokeThrice(world, 'told')).toBeLessThan(patienceMs(TOLD_MS))
    await eventually(() => expect(hints).toContain('svc.hints.rights.revoked'))
    expect((await world.other.call('/readyz')).text).toBe('')
    await nats.halt()
    await eventually(async () => {
      const reply = await world.other.call('/readyz')
      expect([reply.status, reply.json()]).toMatchObject([200, { status: 'degraded', missing: ['nats'] }])
    })
    expect(await revokeThrice(world, 'untold')).toBeLessThan(patienceMs(UNTOLD_MS))
    await nats.resume()
    await eventually(async () => expect((await world.other.call('/readyz')).text).toBe(''))
  })
})

/** Revokes a key on one server and asks the other with it until it is refused. @returns milliseconds */
async function revokeAndAsk({ one, other }: FrontEnds, name: string): Promise<number> {
  const member = await one.member(name)
  const ask = async (): Promise<number> => (await other.call('/v1/models', { headers: member.headers })).status
  expect(await ask()).toBe(200)
  await member.browser.send('DELETE', `/api/auth/api-keys/${member.keyId}`)
  const begin = performance.now()
  await eventually(async () => expect(await ask()).toBe(401))
  return performance.now() - begin
}

/** The shortest of three times: a pause of the machine is not the server's. */
async function revokeThrice(world: FrontEnds, name: string): Promise<number> {
  const times: number[] = []
  for (const number of [1, 2, 3]) times.push(await revokeAndAsk(world, `${name}-${number}`))
  console.info(`${name}: the other server refused keys after ${times.map(Math.round).join(', ')} ms`)
  return Math.min(...times)
}
