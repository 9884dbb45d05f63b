import { createBackendClient } from '@svc/backend-client'
import { eventually, startNats, startPostgres, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../src/backends/endpoint.ts'
import { openMessenger, type TestMessenger } from '../../src/cluster/nats/__fixtures__/open-messenger.ts'
import { type BuiltWorker, startBuiltWorker } from '../support/built-worker.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const TOKEN = 'token-of-workers'
const KEY = 'key-of-an-admin'
const never = new AbortController().signal
const [postgres, nats] = [await startPostgres(), await startNats()]
const isThere = postgres.available && nats.available
if (!isThere) console.warn('the suite of the worker command does not run: PostgreSQL or NATS is missing')

describe.skipIf(!isThere)('svc worker', () => {
  let server: TestServer
  let bus: TestMessenger
  let worker: BuiltWorker
  let port = 0
  let id = ''
  let http = ''
  const folder = tempDir('svc-worker-')

  const call = (method: string, path: string) =>
    server.call(path, { method, headers: { authorization: `Bearer ${KEY}` } })
  const ask = async (topic: string, payload: unknown): Promise<Readonly<Record<string, unknown>>> =>
    (await bus.request(`nodes.${id}.${topic}`, payload, { signal: never, timeoutMs: 60_000 })) as Record<
      string,
      unknown
    >
  const files = (path: string, token = '') =>
    fetch(`http://${http}${path}`, { headers: token === '' ? {} : { authorization: `Bearer ${token}` } })
  const install = (replica: number, more: Readonly<Record<string, unknown>> = {}) =>
    ask('backend.install', { backend: 'onnx', model_id: 'm', replica_index: replica, ...more })
  const start = async (): Promise<BuiltWorker> =>
    startBuiltWorker(
      [
        `--register-to=${server.url}`,
        '--node-name=w1',
        `--addr=127.0.0.1:${port}`,
        '--http-addr=127.0.0.1:0',
        '--heartbeat-interval=200ms',
        '--node-labels=tier=fast, zone=a',
        '--max-replicas-per-model=2',
        '--vram-budget=50%',
      ],
      { SVC_NATS_URL: nats.available ? nats.url : '', SVC_REGISTRATION_TOKEN: TOKEN },
      { folder: (await folder).path },
    )

  beforeAll(async () => {
    if (!postgres.available || !nats.available) return
    port = await findFreePort()
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
      },
    })
    bus = await openMessenger(nats)
    worker = await start()
  })
  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]()
    await bus?.close()
    await server?.close()
    await nats[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
    await (await folder).close()
  })

  it('waits for its approval, then joins with the credentials that it gets', async () => {
    await worker.logged('it waits for approval')
    const [node] = (await call('GET', '/api/nodes')).json() as [{ readonly id: string; readonly http_address: string }]
    expect(node).toMatchObject({
      name: 'w1',
      status: 'pending',
      address: `127.0.0.1:${port}`,
      labels: { tier: 'fast', zone: 'a', 'node.replica-slots': '2' },
      max_replicas_per_model: 2,
      vram_budget: '50%',
      capability: expect.stringMatching(/./),
      total_ram: expect.any(Number),
    })
    id = node.id
    expect((await call('POST', `/api/nodes/${id}/approve`)).status).toBe(200)
    await worker.logged('the worker has joined')
    http = node.http_address
    expect(await files('/readyz')).toMatchObject({ status: 200 })
    await eventually(async () => expect((await ask('models.running', {})).models).toEqual([]))
    const { backends } = (await ask('backend.list', {})) as { backends: readonly { readonly name: string }[] }
    expect(backends).toContainEqual({ name: 'llama-cpp', is_system: true, is_meta: false })
  })

  it('starts a process for each replica of a model, which asks for the token', async () => {
    const first = await install(0)
    expect(first).toEqual({ success: true, address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) })
    expect(await install(0)).toEqual(first)
    const second = await install(1)
    expect(second.address).not.toBe(first.address)
    const address = String(first.address)
    await using friend = createBackendClient({ address, token: TOKEN })
    await friend.health()
    await using stranger = createBackendClient({ address })
    await expect(stranger.health()).rejects.toMatchObject({ kind: 'unauthenticated' })
    expect(await files('/v1/backend-logs')).toMatchObject({ status: 401 })
    const logs = await files('/v1/backend-logs/m', TOKEN)
    expect([logs.status, await logs.text()]).toEqual([200, expect.stringContaining(`listening on ${address}`)])
    expect((await ask('models.running', {})).models).toEqual([
      { model_id: 'm', replica_index: 0, address },
      { model_id: 'm', replica_index: 1, address: second.address },
    ])
    expect(await install(0, { backend: 'missing' })).toMatchObject({
      success: false,
      error: 'no backend found with name "missing"',
    })
  })

  it('ends exactly the process that is meant', async () => {
    const { address } = await install(1)
    const stop = { model_name: 'm', process_key: 'm#1', expected_address: '127.0.0.1:1' }
    expect(await ask('model.stop', stop)).toMatchObject({
      matched: true,
      freed: false,
      terminated: false,
      process_key: 'm#1',
      error: expect.stringContaining('address mismatch'),
    })
    expect(await ask('model.stop', { ...stop, process_key: 'm#2' })).toMatchObject({
      matched: false,
      terminated: false,
    })
    expect((await ask('models.running', {})).models).toHaveLength(2)
    expect(await ask('model.unload', { model_name: 'm' })).toEqual({ success: true })
    expect(await ask('model.stop', { ...stop, expected_address: address })).toMatchObject({
      matched: true,
      terminated: true,
      address,
    })
    expect((await ask('models.running', {})).models).toMatchObject([{ replica_index: 0 }])
    const [{ address: old }] = (await ask('models.running', {})).models as [{ readonly address: string }]
    expect((await install(0, { force: true })).address).not.toBe(old)
  })

  it('ends what a killed worker has left, and joins again', async () => {
    const left = worker.backends()
    expect(left.length).toBeGreaterThan(0)
    await worker.end('SIGKILL')
    worker = await start()
    await worker.logged('the worker has joined')
    await eventually(async () => expect((await ask('models.running', {})).models).toEqual([]))
    await eventually(() => expect(worker.backends()).toEqual([]))
  })

  it('drains, ends its processes and says so when it is stopped', async () => {
    expect(await install(0)).toMatchObject({ success: true })
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(worker.backends()).toEqual([])
    expect((await call('GET', `/api/nodes/${id}`)).json()).toMatchObject({ status: 'offline' })
  })
})
