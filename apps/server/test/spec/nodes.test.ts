import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { eventually, startNats, startPostgres } from '@svc/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import { runNodeCommand } from '../../src/cli/node-commands.ts'
import { installProgressSubject } from '../../src/cluster/contract/subjects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { STAND_IN_LINES, STAND_IN_MODEL, type StandInWorker, startStandInWorker } from '../support/stand-in-worker.ts'

const TOKEN = 'token-of-workers'
const KEY = 'key-of-an-admin'
const GALLERIES = JSON.stringify([{ url: 'http://127.0.0.1:9/index.yaml', name: 'own' }])
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
  let worker: StandInWorker
  let id = ''
  let finishInstall = (): void => undefined
  let credentials = { jwt: '', seed: '' }
  beforeAll(async () => {
    if (!postgres.available || !nats.available) return
    server = await startTestServer({
      flags: [
        '--distributed',
        '--auth-enabled',
        `--api-keys=${KEY}`,
        '--auth-rate-limit=0',
        `--backend-galleries=${GALLERIES}`,
        '--autoload-backend-galleries=false',
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
    worker = await startStandInWorker({ token: TOKEN })
  })
  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]()
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

  const register = (key = TOKEN) =>
    call('POST', '/api/node/register', { body: { ...CAPTURED, http_address: worker.httpAddress }, key })
  const jobOf = (started: { json(): unknown }) => (started.json() as { jobID: string }).jobID
  const operation = async (started: { json(): unknown }, list = '') => {
    const { operations } = (await call('GET', `/api/operations${list}`)).json() as { operations: { jobID: string }[] }
    return operations.find(({ jobID }) => jobID === jobOf(started))
  }

  it('are let in by the registration token alone', async () => {
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
    const reply = await register()
    expect([reply.status, reply.json()]).toMatchObject([201, { name: 'w1', node_type: 'backend', status: 'pending' }])
    expect(reply.text).not.toContain('nats_jwt')
    ;({ id } = reply.json() as { id: string })
  })

  it('get credentials of the bus once they are approved', async () => {
    expect((await call('POST', `/api/nodes/${id}/approve`)).json()).toEqual({ message: 'node approved' })
    expect((await call('POST', '/api/nodes/nobody/approve')).json()).toMatchObject({
      error: { type: 'node_error', message: 'node not found' },
    })
    const reply = (await register()).json() as { nats_jwt: string; nats_user_seed: string }
    expect(reply).toMatchObject({
      id,
      status: 'healthy',
      nats_jwt: expect.any(String),
      nats_user_seed: expect.stringMatching(/^SU/),
    })
    credentials = { jwt: reply.nats_jwt, seed: reply.nats_user_seed }
    // Another machine does not get the name of one that is there, nor its credentials.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const body = { ...CAPTURED, address: '10.9.9.9:26051', http_address: '10.9.9.9:26050' }
      const taken = await call('POST', '/api/node/register', { body, key: TOKEN })
      expect([taken.status, taken.json()]).toMatchObject([
        409,
        { error: { type: 'node_error', message: expect.stringContaining('another machine serves as "w1"') } },
      ])
    }
    const { events } = (await call('GET', '/api/pii/events?kind=administration')).json() as { events: object[] }
    expect(events.filter((event) => JSON.stringify(event).includes('node.register'))).toMatchObject([
      { target: 'w1', outcome: 'failed' },
    ])
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

  it('answer what administrators ask, over the bus with their own credentials', async () => {
    if (!nats.available) return
    const unreached = await call('GET', `/api/nodes/${id}/backends`)
    expect([unreached.status, unreached.json()]).toMatchObject([
      503,
      { error: { type: 'node_error', message: expect.stringContaining('does not answer') } },
    ])
    const lost = await call('POST', `/api/nodes/${id}/backends/install`, { body: { backend: 'lost' } })
    await eventually(async () =>
      expect(await operation(lost)).toMatchObject({
        ...{ nodeID: id, nodeName: 'w1', nodes: [{ node_name: 'w1', status: 'Failed' }] },
        error: expect.stringContaining('the change is made when the worker is there'),
      }),
    )
    await worker.join({
      url: nats.url,
      id,
      ...credentials,
      replies: {
        'backend.install': (payload, bus) => {
          const { op_id: operation, backend } = payload as { op_id: string; backend: string }
          if (backend === 'lost') return { success: true }
          bus.publish(installProgressSubject(id, operation), {
            op_id: operation,
            file_name: 'mock.tar',
            percentage: 40,
            current: '1.5 MiB',
            total: '4 MiB',
            phase: 'downloading',
          })
          return new Promise((resolve) => {
            finishInstall = () => resolve({ success: true, address: '127.0.0.1:26051' })
          })
        },
        'backend.upgrade': () => ({ success: false, error: 'there is no newer one' }),
        'models.running': () => ({ models: null }),
        'backend.list': () => ({ backends: [{ name: 'mock', is_system: true }] }),
        'backend.delete': () => ({ success: true, stopped_process_keys: ['chat#0'], reports_stopped_processes: true }),
        'model.unload': () => ({ success: true }),
        'model.delete': () => ({ success: false, error: 'the file is in use' }),
      },
    })
    await eventually(async () =>
      expect((await call('GET', `/api/nodes/${id}/backends`)).json()).toMatchObject([
        { name: 'mock', is_system: true, is_meta: false },
      ]),
    )
    const change = async (path: string, body: object) => {
      const reply = await call('POST', `/api/nodes/${id}/${path}`, { body })
      return [reply.status, reply.json()]
    }
    expect(await change('models/unload', { model_name: 'a/b' })).toEqual([200, { message: 'model unloaded' }])
    expect(await change('models/delete', { model_name: 'a/b' })).toMatchObject([
      502,
      { error: { type: 'node_error', message: 'the file is in use' } },
    ])
    expect(await change('backends/delete', { backend: 'mock' })).toEqual([200, { message: 'backend deleted' }])
    expect(await change('backends/delete', {})).toMatchObject([400, { error: { type: 'node_error' } }])
    // The installation that nobody was there for may come at any moment.
    expect(worker.asked.filter(({ topic }) => !['backend.list', 'backend.install'].includes(topic))).toEqual([
      { topic: 'model.unload', payload: { model_name: 'a/b' } },
      { topic: 'model.delete', payload: { model_name: 'a/b' } },
      { topic: 'backend.delete', payload: { backend: 'mock' } },
    ])
  })

  it('install and upgrade backends as operations', async () => {
    const start = (verb: 'install' | 'upgrade') =>
      call('POST', `/api/nodes/${id}/backends/${verb}`, { body: { backend: 'mock' } })
    const installed = await start('install')
    expect(installed.status).toBe(202)
    await eventually(async () =>
      expect(await operation(installed)).toMatchObject({
        progress: 40,
        nodes: [{ file_name: 'mock.tar', current: 1_572_864, total: 4_194_304 }],
      }),
    )
    finishInstall()
    await eventually(async () =>
      expect(await operation(installed, '/history')).toMatchObject({ nodeID: id, outcome: 'completed' }),
    )
    const upgraded = await start('upgrade')
    const error = expect.stringContaining('there is no newer one')
    await eventually(async () =>
      expect(await operation(upgraded)).toMatchObject({ nodeID: id, error, nodes: [{ status: 'Failed' }] }),
    )
    expect(worker.asked).toContainEqual({
      topic: 'backend.install',
      payload: { backend: 'mock', op_id: jobOf(installed), backend_galleries: GALLERIES },
    })
  })

  it('show what their backends write', async () => {
    const logs = `/api/nodes/${id}/backend-logs`
    expect((await call('GET', logs)).json()).toEqual([STAND_IN_MODEL])
    expect((await call('GET', `${logs}/${STAND_IN_MODEL}`)).json()).toEqual(STAND_IN_LINES)
    expect((await call('GET', `${logs}/unknown`)).json()).toMatchObject({
      error: { type: 'node_error', message: 'the worker answers with status 404' },
    })
  })

  it('show what their backends write as it comes, over a socket', async () => {
    const open = (model: string, node = id, key = KEY) =>
      openLineSocket(`${server.url.replace('http', 'ws')}/ws/nodes/${node}/backend-logs/${model}`, key)
    const reader = await open(STAND_IN_MODEL)
    await eventually(() => expect(reader.heard).toEqual([{ type: 'initial', lines: STAND_IN_LINES }]))
    const line = { type: 'line', line: { ...STAND_IN_LINES[1], text: 'one more' } }
    for (const follower of worker.followers) follower.send(JSON.stringify(line))
    await eventually(() => expect(reader.heard.slice(1)).toEqual([line]))
    reader.ws.close()
    await eventually(() => expect(worker.followers.size).toBe(0))
    expect(await (await open(STAND_IN_MODEL, 'nobody')).closed).toEqual([1008, 'node not found'])
    expect(await (await open('unknown')).closed).toEqual([1013, 'the worker answers with status 404'])
    await expect(open(STAND_IN_MODEL, id, TOKEN)).rejects.toThrow('401')
    const lost = await open(STAND_IN_MODEL)
    await eventually(() => expect(worker.followers.size).toBe(1))
    for (const follower of worker.followers) follower.terminate()
    expect(await lost.closed).toEqual([1013, 'the connection to the worker is lost'])
  })

  it('are shown and changed by commands', async () => {
    const svc = async (...words: string[]) => {
      const { port } = new URL(server.url)
      const argv = ['nodes', ...words, `--address=127.0.0.1:${port}`, `--api-keys=${KEY}`]
      const command = loadConfig({ argv, env: {}, cwd: server.folder })
      if (command.kind !== 'nodes') throw new Error(JSON.stringify(command))
      const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
      try {
        await runNodeCommand(command)
        return write.mock.calls.map(([text]) => String(text)).join('')
      } finally {
        write.mockRestore()
      }
    }
    const [heading, row, ...more] = (await svc('list')).trimEnd().split('\n')
    expect([heading?.split(/ {2,}/).slice(0, 3), more]).toEqual([['NAME', 'STATUS', 'MODELS'], []])
    expect(row?.split(/ {2,}/)).toEqual([
      'w1',
      'healthy',
      '0',
      '0',
      '-',
      '8.0 of 16.0 GB',
      '70.0 of 100.0 GB',
      CAPTURED.address,
      id,
    ])
    expect(JSON.parse(await svc('list', '--json'))).toMatchObject([{ id, name: 'w1' }])
    expect(await svc('show', id)).toMatch(/^name {2,}w1\nid {2,}/)
    expect(await svc('labels', 'w1', 'rack=r 1', 'disk=ssd')).toMatch(/^rack {2,}r 1$/m)
    expect(await svc('labels', 'w1', 'rack-')).not.toContain('rack')
    expect(await svc('drain', 'w1')).toBe('node set to draining\n')
    expect(await svc('list')).toMatch(/^w1 +draining/m)
    expect(await svc('resume', 'w1')).toBe('node resumed\n')
    expect(await svc('approve', 'w1')).toBe('node approved\n')
    expect(await svc('scheduling', 'a/b', '--spread-all', '--selector', 'tier=fast')).toMatch(
      /^a\/b +one on each +default +tier=fast$/m,
    )
    expect(await svc('scheduling')).toMatch(/^chat +1 to any +default +all$/m)
    expect(await svc('scheduling', 'a/b', '--clear')).toBe('a/b has no rules now\n')
    await expect(svc('scheduling', 'a/b')).rejects.toThrow('the model has no rules')
    await expect(svc('drain', 'w2')).rejects.toThrow('no worker has the name or id "w2"')
  })

  it('keep the routes of administrators and those of workers apart', async () => {
    const document = (await call('GET', '/swagger/doc.json')).json() as { paths: Record<string, object> }
    const routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => [method.toUpperCase(), path.replaceAll(/\{[^}]+\}/g, 'x')] as const),
    )
    const ofAdmins = routes.filter(([, path]) => /^\/(api|ws)\/nodes(\/|$)/.test(path))
    const ofWorkers = routes.filter(([, path]) => path.startsWith('/api/node/'))
    expect([ofAdmins.length, ofWorkers.length]).toEqual([30, 7])
    const statuses = async (list: typeof routes, key: string) =>
      new Set(await Promise.all(list.map(async ([method, path]) => (await call(method, path, { key })).status)))
    expect(await statuses(ofAdmins, TOKEN)).toEqual(new Set([401]))
    expect(await statuses(ofWorkers, KEY)).toEqual(new Set([401]))
  })

  it('have figures, which the dashboard and the rules of a cluster read', async () => {
    const { text } = await call('GET', '/metrics')
    expect(text).toContain('svc_node_state{node="w1",state="healthy"} 1\n')
    expect(text).toContain('svc_node_free_bytes{node="w1",resource="disk"} 70000000000\n')
    const read = (name: string) =>
      readFile(new URL(`../../../../docs/monitoring/cluster-${name}`, import.meta.url), 'utf8')
    const { panels } = JSON.parse(await read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
    const { groups } = parse(await read('rules.yaml')) as { groups: { rules: { expr: string }[] }[] }
    const readers = [...panels.flatMap(({ targets }) => targets), ...groups.flatMap(({ rules }) => rules)]
    for (const { expr } of readers) {
      const series = [...expr.matchAll(/svc_\w+(?:\{([^}]*)\})?/g)]
      expect(series.length, expr).toBeGreaterThan(0)
      for (const [selector] of series) {
        const [name = '', labels = ''] = selector.split(/[{}]/)
        const line = text.split('\n').find((one) => one.startsWith(name) && one.includes(labels))
        expect(line, `${expr}: ${selector}`).toBeDefined()
      }
    }
  })

  it('refuse broken bodies in their own words', async () => {
    const nul = '\u0000'
    for (const [method, path, given] of [
      ['POST', `/api/nodes/${id}/backends/install`, { backend: nul }],
      ['POST', `/api/nodes/${id}/backends/delete`, { backend: nul }],
      ['POST', '/api/nodes/scheduling', { model_name: nul }],
      ['GET', '/api/nodes/%00', undefined],
      ['GET', '/api/nodes/scheduling/%00', undefined],
      ['GET', '/api/nodes/placement?model=%00', undefined],
    ] as const) {
      const reply = await call(method, path, { body: given })
      expect.soft(reply.status < 500 ? '' : `${method} ${path}: ${reply.text}`).toBe('')
    }
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(-1, 1e308, 'w1', '80%', '\u0000', 'a/../b'))
    const names = ['name', 'address', 'total_vram', 'labels', 'backend', 'uri', 'model_name', 'value', 'min_replicas']
    const body = fc.oneof(value, fc.dictionary(fc.constantFrom(...names, '__proto__'), value, { maxKeys: 4 }))
    const routes = [
      ...['/api/node/register', `/api/node/${id}/heartbeat`].map((path) => ['POST', path, TOKEN] as const),
      ...['models/unload', 'models/delete', 'backends/install', 'backends/upgrade', 'backends/delete'].map(
        (path) => ['POST', `/api/nodes/${id}/${path}`, KEY] as const,
      ),
      ['POST', '/api/nodes/scheduling', KEY] as const,
      ...['labels', 'vram-budget', 'max-replicas-per-model'].map(
        (path) => ['PUT', `/api/nodes/${id}/${path}`, KEY] as const,
      ),
    ]
    const route = fc.constantFrom(...routes)
    await fc.assert(
      fc.asyncProperty(route, body, async ([method, path, key], given) => {
        const reply = await call(method, path, { body: given, key })
        if (reply.status < 300) return
        expect([400, 404, 502], `${method} ${path}: ${reply.text}`).toContain(reply.status)
        expect(reply.json()).toMatchObject({ error: { type: 'node_error', message: expect.any(String) } })
      }),
      { numRuns: 200 },
    )
  })

  it('drain, resume, leave, and are forgotten', async () => {
    const state = async () => ((await call('GET', `/api/nodes/${id}`)).json() as { status: string }).status
    const ask = async (path: string, key: string) => (await call('POST', path, { key })).status
    expect(await ask(`/api/nodes/${id}/drain`, KEY)).toBe(200)
    expect(await state()).toBe('draining')
    expect(await ask(`/api/node/${id}/resume`, TOKEN)).toBe(200)
    expect(await state()).toBe('healthy')
    expect(await ask(`/api/node/${id}/drain`, TOKEN)).toBe(200)
    expect(await ask(`/api/nodes/${id}/resume`, KEY)).toBe(200)
    expect(await ask(`/api/node/${id}/drain`, KEY)).toBe(401)
    await worker.leave()
    expect(await ask(`/api/node/${id}/deregister`, TOKEN)).toBe(200)
    expect((await call('GET', '/api/nodes')).json()).toMatchObject([{ status: 'offline', last_heartbeat: null }])
    expect(await ask(`/api/nodes/${id}/resume`, KEY)).toBe(409)
    expect((await call('DELETE', `/api/nodes/${id}`)).json()).toEqual({ message: 'node deregistered' })
    expect((await call('GET', `/api/nodes/${id}`)).json()).toMatchObject({ error: { type: 'node_error' } })
    expect((await call('DELETE', `/api/node/${id}`, { key: TOKEN })).status).toBe(404)
  })
})

/** Opens a socket that sends lines of JSON. */
async function openLineSocket(url: string, key: string) {
  const ws = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } })
  const heard: unknown[] = []
  ws.on('message', (data) => heard.push(JSON.parse(String(data))))
  const closed = new Promise((resolve) => ws.once('close', (code, reason) => resolve([code, String(reason)])))
  await once(ws, 'open')
  return { ws, heard, closed }
}
