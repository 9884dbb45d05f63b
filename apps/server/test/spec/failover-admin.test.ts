import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFakeClock, eventually, readSse, type SeenSseEvent } from '@svc/test-kit'
import type { FailoverChain, FailoverChange } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { failoverRoutes } from '../../src/api/admin/failover/routes.ts'
import { createBus } from '../../src/bus/create-bus.ts'
import { silentLogger } from '../../src/db/__fixtures__/places.ts'
import { createBodyReader } from '../../src/http/body.ts'
import { createFailoverGroups } from '../../src/inference/serving/failover/groups.ts'
import { createFailoverWatch, MAX_READERS, MAX_UNREAD } from '../../src/inference/serving/failover/watch.ts'
import { json, said, startFailoverWorld } from '../support/failover-world.ts'
import { writeForwarded } from '../support/server-pair.ts'
import { startTestApp } from '../support/test-app.ts'

const CHAINS = '/api/failover/chains'
const EVENTS = '/api/failover/events'
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const broken = { status: 503, body: '' }
const limited = { status: 429, headers: { 'retry-after': '600' }, body: '{"error":{"message":"slow down"}}' }

/** A reader of the events. */
class Reader implements AsyncDisposable {
  readonly #leave = new AbortController()
  readonly #events: AsyncGenerator<SeenSseEvent, void, undefined>
  readonly response: Response

  private constructor(response: Response, leave: AbortController) {
    this.response = response
    this.#leave = leave
    this.#events = readSse(response)
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<Reader> {
    const leave = new AbortController()
    return new Reader(await fetch(`${url}${EVENTS}`, { headers, signal: leave.signal }), leave)
  }

  /** Reads the next event; undefined at the end of the stream. */
  async next(): Promise<FailoverChange | undefined> {
    const { value } = await this.#events.next()
    if (value === undefined) return undefined
    const change = JSON.parse(value.data)
    expect(value.event).toBe(change.type ?? 'error')
    return change
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave.abort()
    await this.#events.next().catch(() => undefined)
  }
}

describe('the failover groups of a server', () => {
  it('are listed with their targets, by name; a faulty one has its error; other models are not listed', async () => {
    await using world = await startFailoverWorld()
    const { server } = world
    await server.writeModelFile(
      'broken.yaml',
      stringify({ name: 'broken', failover: { targets: [{ model: 'one' }, { model: 'm' }] } }),
    )
    await server.writeModelFile('other.yaml', stringify({ name: 'other', alias: 'm' }))
    const up = { status: 'up', since: TIME, good_probes: 0, warm: false }
    const m = { name: 'm', serving: 'one', pinned: null, targets: ['one', 'two'].map((model) => ({ model, ...up })) }
    expect((await server.call(CHAINS)).json()).toEqual({
      chains: [
        { name: 'broken', serving: null, pinned: null, targets: [], error: expect.stringContaining('do not nest') },
        m,
      ],
    })
    for (const name of ['m', 'other']) expect((await server.call(`${CHAINS}/${name}`)).json()).toEqual(m)
    for (const name of ['one', 'nobody']) {
      const none = await server.call(`${CHAINS}/${name}`)
      expect([none.status, none.json()]).toMatchObject([404, { error: { message: `no chain is called "${name}"` } }])
    }
  })

  it('show the states of their targets, and metrics show the same', async () => {
    await using world = await startFailoverWorld()
    const { server, first, second } = world
    await world.writeGroup({ targets: [{ model: 'one', warm: true }, { model: 'two' }, { model: 'three' }] })
    await writeForwarded(server, { name: 'three', url: second.origin })
    first.replyWith(broken)
    second.enqueue(limited)
    expect((await server.chat('m')).status).toBe(200)
    const chain = (await server.call(`${CHAINS}/m`)).json() as FailoverChain
    expect(chain).toMatchObject({
      serving: 'three',
      targets: [
        { model: 'one', status: 'down', warm: true },
        { model: 'two', status: 'resting', resting_until: TIME },
        { model: 'three', status: 'up' },
      ],
    })
    const restMs = Date.parse(chain.targets[1]?.resting_until ?? '') - Date.parse(chain.targets[1]?.since ?? '')
    expect(restMs).toBe(600_000)
    const { text } = await server.call('/metrics')
    for (const [target, value] of [
      ['one', 0],
      ['two', 0],
      ['three', 1],
    ]) {
      expect(text).toContain(`svc_failover_target_up{model="m",target="${target}"} ${value}`)
    }
    expect(text).toContain('svc_failover_switches_total{model="m",to="three"} 1')
  })
})

describe('a pin', () => {
  const pin = { target: 'two' }

  it('sends all requests to the pinned target until it is unpinned', async () => {
    await using world = await startFailoverWorld()
    const { server, first, second } = world
    const pinned = await server.post(`${CHAINS}/m/pin`, pin)
    expect([pinned.status, pinned.json()]).toMatchObject([200, { name: 'm', pinned: 'two' }])
    const reply = await server.chat('m')
    expect([reply.headers['served-model'], reply.headers.failover]).toEqual(['two', 'fallback'])
    // the pinned target is asked although it is down, and the client gets its failure
    second.replyWith(broken)
    for (const _ of [1, 2]) expect((await server.chat('m')).status).toBe(502)
    second.replyWith(limited)
    const resting = await server.chat('m')
    expect([resting.status, resting.headers['retry-after']]).toEqual([429, '600'])
    expect(first.requests).toEqual([])
    expect((await server.call(`${CHAINS}/m`)).json()).toMatchObject({
      pinned: 'two',
      targets: [{}, { status: 'down' }],
    })
    const unpinned = await server.post(`${CHAINS}/m/unpin`, {})
    expect([unpinned.status, unpinned.json()]).toMatchObject([200, { pinned: null }])
    expect((await server.chat('m')).headers['served-model']).toBe('one')
    expect((await server.call(`${CHAINS}/m/unpin`, { method: 'POST' })).status).toBe(200)
  })

  it('of a disabled or full target leaves no target to ask', async () => {
    await using world = await startFailoverWorld()
    const { server, first, second } = world
    await server.post(`${CHAINS}/m/pin`, pin)
    await writeForwarded(server, { name: 'two', url: second.origin, keys: { disabled: true } })
    const reply = await server.chat('m')
    expect([reply.status, reply.text]).toEqual([503, expect.stringContaining('is disabled')])
    expect([first.requests, second.requests]).toEqual([[], []])
  })

  it('survives changes of the file that keep its target in the group', async () => {
    await using world = await startFailoverWorld()
    const { server } = world
    await server.post(`${CHAINS}/m/pin`, pin)
    await world.writeGroup({ trip: { errors: 3 } })
    expect((await server.call(`${CHAINS}/m`)).json()).toMatchObject({ pinned: 'two' })
    await writeForwarded(server, { name: 'three', url: world.first.origin })
    await world.writeGroup({ targets: [{ model: 'one' }, { model: 'three' }] })
    expect((await server.call(`${CHAINS}/m`)).json()).toMatchObject({ pinned: null })
  })

  it.each([
    ['missing', pin, 404, 'no chain'],
    ['m', { target: 'three' }, 404, 'no such target'],
    ['m', { target: '' }, 400, 'target'],
    ['m', { target: 7 }, 400, 'target'],
    ['m', {}, 400, 'target'],
    ['m', [], 400, 'must be a JSON object'],
  ])('of %s with %j is refused with %i', async (chain, body, status, message) => {
    await using world = await startFailoverWorld()
    const reply = await world.server.post(`${CHAINS}/${chain}/pin`, body)
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)])
    expect((await world.server.call(`${CHAINS}/m`)).json()).toMatchObject({ pinned: null })
  })
})

/** Starts only the routes, on a server with a fake clock. */
async function startRoutes(opaqueErrors = false) {
  const clock = createFakeClock()
  const bus = createBus({ logger: silentLogger })
  const watch = createFailoverWatch({ bus, clock })
  const models = { list: () => [], resolve: () => undefined }
  const bodies = createBodyReader({ maxBytes: 1024, idleMs: 1000, totalBytes: 1024 })
  const compression = { enabled: false, minLength: 0 }
  const groups = createFailoverGroups({ clock, onEvent: () => undefined, exists: () => true })
  const open = async () => ({ groups, watch, follow: () => undefined })
  const app = await startTestApp(failoverRoutes({ open, clock, models, bodies, compression, opaqueErrors }))
  return { app, bus, clock, watch }
}

describe('the events of failover groups', () => {
  it('begin with the present state, and report changes', async () => {
    await using world = await startFailoverWorld()
    const { server, first, second } = world
    await world.writeGroup({ probe: { interval: '20ms' }, recovery: { probes: 1, min_dwell: '1ms' } })
    await using reader = await Reader.open(server.url)
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream')
    expect(reader.response.headers.get('content-encoding')).toBeNull()
    expect(await reader.next()).toMatchObject({ type: 'chains', chains: [{ name: 'm', serving: 'one' }] })
    const told = { at: TIME, chain: 'm' }
    first.replyWith(broken)
    await server.chat('m')
    expect(await reader.next()).toEqual({ type: 'state', ...told, target: 'one', from: 'up', to: 'down' })
    expect(await reader.next()).toEqual({ type: 'switch', ...told, from: 'one', to: 'two' })
    // no request asks the group: the probe finds out by itself
    const list = '{"data":[{"id":"one"}]}'
    first.replyWith(({ path }) => ({ headers: json, body: path === '/v1/models' ? list : said('first') }))
    expect(await reader.next()).toEqual({ type: 'state', ...told, target: 'one', from: 'down', to: 'up' })
    await server.post(`${CHAINS}/m/pin`, { target: 'two' })
    await server.post(`${CHAINS}/m/unpin`, {})
    expect(await reader.next()).toEqual({ type: 'pin', ...told, target: 'two' })
    expect(await reader.next()).toEqual({ type: 'pin', ...told, target: null })
    first.replyWith({ headers: json, body: said('first') })
    second.replyWith(limited)
    await server.chat('m')
    expect(await reader.next()).toEqual({ type: 'switch', ...told, from: 'two', to: 'one' })
  })

  it('report the state of the groups again after a changed file has reset one', async () => {
    await using world = await startFailoverWorld()
    const { server, first } = world
    first.replyWith(broken)
    await server.chat('m')
    await server.post(`${CHAINS}/m/pin`, { target: 'one' })
    await using reader = await Reader.open(server.url)
    const before = { name: 'm', serving: 'two', pinned: 'one', targets: [{ status: 'down' }, { status: 'up' }] }
    expect(await reader.next()).toMatchObject({ type: 'chains', chains: [before] })
    const reload = async (): Promise<void> => {
      expect((await server.post('/models/reload', {})).status).toBe(200)
    }
    // no request asks the group
    await world.writeGroup({ targets: [{ model: 'two' }, { model: 'three' }] })
    await reload()
    const targets = ['two', 'three'].map((model) => ({ model, status: 'up' }))
    const after = { name: 'm', serving: 'two', pinned: null, targets }
    expect(await reader.next()).toMatchObject({ type: 'chains', chains: [after] })
    // a change that leaves the group equal is not reported
    await world.writeGroup({ targets: [{ model: 'two' }, { model: 'three' }] }, { context_size: 1024 })
    await reload()
    const nested = { targets: [{ model: 'one' }, { model: 'two' }] }
    await server.writeModelFile('three.yaml', stringify({ name: 'three', failover: nested }))
    await world.writeGroup({ targets: [{ model: 'two' }, { model: 'three' }], trip: { errors: 2 } })
    await reload()
    expect(await reader.next()).toMatchObject({
      type: 'chains',
      chains: [{ name: 'm', targets: [], error: expect.stringContaining('do not nest') }, { name: 'three' }],
    })
    await rm(join(server.modelsPath, 'm.yaml'))
    await reload()
    expect(await reader.next()).toMatchObject({ type: 'chains', chains: [{ name: 'three' }] })
  })

  it('tell when a rest is over', async () => {
    await using world = await startFailoverWorld()
    const { server, first } = world
    await world.writeGroup({ probe: { interval: '10ms' } })
    await using reader = await Reader.open(server.url)
    await reader.next()
    first.replyWith({ ...limited, headers: { 'retry-after': '1' } })
    await server.chat('m')
    expect(await reader.next()).toMatchObject({ type: 'state', to: 'resting' })
    expect(await reader.next()).toMatchObject({ type: 'switch' })
    expect(await reader.next()).toMatchObject({ type: 'state', target: 'one', from: 'resting', to: 'up' })
  })

  it('have a limited number of readers; leaving readers free their places', async () => {
    await using world = await startFailoverWorld()
    const { url } = world.server
    const readers = await Promise.all(Array.from({ length: MAX_READERS }, () => Reader.open(url)))
    for (const reader of readers) expect(reader.response.status).toBe(200)
    const full = await Reader.open(url)
    expect([full.response.status, full.response.headers.get('retry-after')]).toEqual([429, '1'])
    for (const reader of readers) await reader[Symbol.asyncDispose]()
    await eventually(async () => {
      await using next = await Reader.open(url)
      expect(next.response.status).toBe(200)
    })
  })

  it('end with the key that opened them and when the server stops, which does not wait for them', async () => {
    await using world = await startFailoverWorld({ configFiles: { 'api_keys.json': '["k","gone"]' } })
    const { server } = world
    const key = { 'x-api-key': 'k' }
    expect((await Reader.open(server.url)).response.status).toBe(401)
    await using reader = await Reader.open(server.url, { 'x-api-key': 'gone' })
    await reader.next()
    await using staying = await Reader.open(server.url, key)
    await staying.next()
    await writeFile(join(server.configDir, 'api_keys.json'), '["k"]')
    expect(await reader.next()).toMatchObject({ error: { message: 'access has ended' } })
    expect(await reader.next()).toBeUndefined()
    await server.close()
    expect(await staying.next()).toBeUndefined()
  })

  it('are kept alive while nothing changes, and end after a quarter of an hour', async () => {
    const { app, clock } = await startRoutes()
    await using _ = app
    const text = (await fetch(`${app.url}${EVENTS}`)).text()
    for (let quiet = 0; quiet < 60; quiet += 1) {
      await clock.waitForSleepers(1)
      await clock.advance(15_000)
    }
    const frames = (await text).split('\n\n')
    expect(frames[0]).toContain('event: chains')
    expect(frames.slice(1)).toEqual([...Array(60).fill(':'), ''])
  })

  it('end with an error for a reader that leaves too much unread', async () => {
    const { app, bus } = await startRoutes()
    await using _ = app
    await using reader = await Reader.open(app.url)
    await reader.next()
    for (let count = 0; count <= MAX_UNREAD; count += 1)
      bus.publish('failover.changed', { group: 'm', event: { type: 'switch', from: 'a', to: 'b' } })
    expect(await reader.next()).toMatchObject({
      error: { code: 503, message: expect.stringContaining('connect again') },
    })
    expect(await reader.next()).toBeUndefined()
  })

  it('hide the cause of an error inside the stream while errors are opaque', async () => {
    const { app, bus } = await startRoutes(true)
    await using _ = app
    await using reader = await Reader.open(app.url)
    await reader.next()
    for (let count = 0; count <= MAX_UNREAD; count += 1)
      bus.publish('failover.changed', { group: 'm', event: { type: 'switch', from: 'a', to: 'b' } })
    expect(await reader.next()).toMatchObject({ error: { code: 500, message: 'an error occurred' } })
    expect(await reader.next()).toBeUndefined()
  })

  it('have headers without events for HEAD', async () => {
    await using world = await startFailoverWorld()
    const reply = await world.server.call(EVENTS, { method: 'HEAD' })
    expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([200, 'text/event-stream', ''])
  })
})
