import { startNats, startPostgres } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const TOKEN = 'token-of-workers'
const KEY = 'key-of-an-admin'
const [postgres, nats] = [await startPostgres(), await startNats()]
const isThere = postgres.available && nats.available
if (!isThere) console.warn('the suite of workers does not run: PostgreSQL or NATS is missing')

/** What the worker of the other system sends, as it was captured. */
const CAPTURED = {
  address: '127.0.0.1:26051',
  available_disk: 52_000_000_000,
  available_ram: 8_000_000_000,
  available_vram: 0,
  capability: 'default',
  gpu_compute_capability: '',
  gpu_vendor: '',
  http_address: '127.0.0.1:26050',
  labels: { 'node.replica-slots': '2', tier: 'fast', zone: 'a' },
  max_replicas_per_model: 2,
  name: 'w1',
  token: TOKEN,
  total_disk: 100_000_000_000,
  total_ram: 16_000_000_000,
  total_vram: 0,
  vram_budget: '50%',
}

describe.skipIf(!isThere)('workers', () => {
  let server: TestServer
  let id = ''
  beforeAll(async () => {
    if (!postgres.available || !nats.available) return
    server = await startTestServer({
      flags: [
        '--distributed',
        '--auth-enabled',
        `--api-keys=${KEY}`,
        '--auth-rate-limit=0',
        `--auth-database-url=${await postgres.createDatabase()}`,
      ],
      env: {
        SVC_NATS_URL: nats.url,
        SVC_NATS_SERVICE_JWT: nats.service.jwt,
        SVC_NATS_SERVICE_SEED: nats.service.seed,
        SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
        SVC_REGISTRATION_TOKEN: TOKEN,
        SVC_REGISTRATION_REQUIRE_AUTH: 'true',
        SVC_DISTRIBUTED_REQUIRE_AUTH: 'true',
        SVC_MODEL_SCHEDULING: '{"chat": {"min_replicas": 1}}',
      },
    })
  }, 60_000)
  afterAll(async () => {
    await server?.close()
    await nats[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  const call = (method: string, path: string, { body, key = KEY }: { body?: unknown; key?: string } = {}) =>
    server.call(path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  it('are let in by the registration token alone', async () => {
    const register = (key: string) => call('POST', '/api/node/register', { body: CAPTURED, key })
    for (const key of [KEY, 'wrong']) {
      const refused = await register(key)
      expect([refused.status, refused.json()]).toMatchObject([
        401,
        { error: { type: 'node_error', message: 'invalid registration token' } },
      ])
    }
    expect((await call('GET', '/api/nodes', { key: TOKEN })).status).toBe(401)
    const bad = await call('POST', '/api/node/register', { body: { ...CAPTURED, address: 'nowhere' }, key: TOKEN })
    expect([bad.status, bad.json()]).toMatchObject([400, { error: { type: 'node_error' } }])
    const reply = await register(TOKEN)
    expect([reply.status, reply.json()]).toMatchObject([201, { name: 'w1', node_type: 'backend', status: 'pending' }])
    expect(reply.text).not.toContain('nats_jwt')
    ;({ id } = reply.json() as { id: string })
  })

  it('get credentials of the bus once they are approved', async () => {
    expect((await call('POST', `/api/nodes/${id}/approve`)).json()).toEqual({ message: 'node approved' })
    const reply = (await call('POST', '/api/node/register', { body: CAPTURED, key: TOKEN })).json()
    expect(reply).toMatchObject({
      id,
      status: 'healthy',
      nats_jwt: expect.any(String),
      nats_user_seed: expect.stringMatching(/^SU/),
    })
    const beat = await call('POST', `/api/node/${id}/heartbeat`, {
      body: { available_disk: 70_000_000_000 },
      key: TOKEN,
    })
    expect(beat.json()).toEqual({ message: 'heartbeat received' })
    expect((await call('GET', `/api/nodes/${id}`)).json()).toMatchObject({
      available_disk: 70_000_000_000,
      total_ram: 16_000_000_000,
      labels: { tier: 'fast', 'node.name': 'w1' },
      model_count: 0,
    })
    expect((await call('POST', '/api/node/x/heartbeat', { body: {}, key: TOKEN })).status).toBe(404)
  })

  it('have labels, limits, rules and an explained placement', async () => {
    expect((await call('PATCH', `/api/nodes/${id}/labels`, { body: { tier: 'slow' } })).json()).toMatchObject({
      tier: 'slow',
      zone: 'a',
    })
    expect((await call('DELETE', `/api/nodes/${id}/labels/tier`)).status).toBe(204)
    expect((await call('PUT', `/api/nodes/${id}/vram-budget`, { body: { value: '8GB' } })).json()).toEqual({
      value: '8GB',
    })
    expect((await call('PUT', `/api/nodes/${id}/max-replicas-per-model`, { body: { value: 0 } })).status).toBe(400)
    expect((await call('GET', '/api/nodes/scheduling')).json()).toMatchObject([{ model_name: 'chat', min_replicas: 1 }])
    const body = { model_name: 'a/b', node_selector: { tier: 'none' } }
    expect((await call('POST', '/api/nodes/scheduling', { body })).status).toBe(200)
    const placement = (await call('GET', '/api/nodes/placement?model=a/b')).json()
    expect(placement).toMatchObject({
      decision: 'none',
      nodes: [{ node_name: 'w1', refusals: [{ filter: 'selector' }] }],
    })
    expect((await call('DELETE', '/api/nodes/scheduling/a/b')).status).toBe(204)
    expect((await call('GET', '/api/nodes/placement?model=a/b')).json()).toMatchObject({
      decision: 'chosen',
      node_name: 'w1',
    })
  })
})
