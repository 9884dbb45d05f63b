import { describe, expect, it } from 'vitest'
import { createBus } from '../../bus/create-bus.ts'
import { systemClock } from '../../clock.ts'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import { openDatabase } from '../../db/open-database.ts'
import { registration } from '../contract/registration.ts'
import { createReplicaStore } from '../loads/replica-store.ts'
import { createHealthMonitor } from './health-monitor.ts'
import { createNodeRegistry } from './node-registry.ts'
import { createNodeStore } from './node-store.ts'
import { checkRegistration } from './report.ts'
import { parseSchedulingConfig } from './scheduling-config.ts'
import { createSchedulingRules } from './scheduling-rules.ts'
import { parseVramBudget, toBudgetBytes } from './vram-budget.ts'

const places = await databasePlaces()
const { signal } = new AbortController()

const report = (fields: object = {}) =>
  checkRegistration(
    registration.parse({
      name: 'w1',
      address: '127.0.0.1:26051',
      http_address: '127.0.0.1:26050',
      labels: { tier: 'fast', 'node.replica-slots': '2' },
      max_replicas_per_model: 2,
      vram_budget: '50%',
      total_vram: 16 * 2 ** 30,
      gpu_vendor: 'nvidia',
      ...fields,
    }),
  )

describe.each(places)('workers on $name', ({ create }) => {
  async function open({ approvesNew = true }: { readonly approvesNew?: boolean } = {}) {
    const place = await create()
    const database = await openDatabase({
      ...place.options,
      appVersion: '1.0.0',
      logger: silentLogger,
      clock: systemClock,
    })
    let now = 0
    let answers: boolean | undefined = false
    let isConnected = true
    const clock = { monotonic: () => now, sleep: () => Promise.resolve() }
    const store = createNodeStore(database)
    const replicas = createReplicaStore(database)
    const bus = createBus({ logger: silentLogger })
    const directory = createNodeRegistry({
      store,
      replicas,
      bus,
      clock,
      logger: silentLogger,
      approvesNew,
      ask: () => Promise.resolve(answers),
    })
    const monitor = createHealthMonitor({
      store,
      nodes: directory,
      replicas,
      clock,
      logger: silentLogger,
      messenger: {
        get isConnected() {
          return isConnected
        },
        request: () => (answers ? Promise.resolve({ models: null }) : Promise.reject(new Error('no responders'))),
        onConnection: () => () => undefined,
      },
    })
    const addReplica = (nodeId: string) =>
      database.queries.change((db, { nodeReplicas }) =>
        db.insert(nodeReplicas).values({
          id: `r-${nodeId}`,
          nodeId,
          model: 'm',
          replicaIndex: 0,
          processKey: 'm#0',
          address: '',
          state: 'loaded',
          backend: 'mock',
          configRevision: '1',
          loadRequest: '',
          createdAt: 1,
          usedAt: 1,
          cleanupAttempts: 0,
        }),
      )
    return {
      database,
      store,
      directory,
      monitor,
      replicas,
      addReplica,
      /** Looks every 15 seconds for this long. */
      async watch(ms: number) {
        for (const end = now + ms; now < end; ) {
          now += 15_000
          await monitor.look(signal)
        }
      },
      set: (next: { readonly answers?: boolean | undefined; readonly isConnected?: boolean }) => {
        if ('answers' in next) answers = next.answers
        isConnected = next.isConnected ?? isConnected
      },
      async [Symbol.asyncDispose]() {
        directory.close()
        await database.close()
        await place.close()
      },
    }
  }

  it('keep id, approval and manual values when they register again; their replicas go', async () => {
    await using world = await open({ approvesNew: false })
    const { directory } = world
    const first = await directory.register(report(), signal)
    expect(first).toMatchObject({
      status: 'pending',
      maxReplicas: 2,
      vramBudget: 8 * 2 ** 30,
      labels: { tier: 'fast', 'node.name': 'w1', 'gpu.vendor': 'nvidia', 'gpu.vram': '16GB' },
    })
    await directory.approve(first.id)
    await directory.setMaxReplicas(first.id, 5)
    await directory.setVramBudget(first.id, '4GB')
    await directory.setLabels(first.id, { tier: 'slow' })
    await world.addReplica(first.id)
    const again = await directory.register(report({ max_replicas_per_model: 3 }), signal)
    expect(again).toMatchObject({
      id: first.id,
      status: 'healthy',
      maxReplicas: 5,
      vramBudget: 4e9,
      labels: { tier: 'slow', 'node.name': 'w1' },
    })
    expect(await world.replicas.list()).toEqual([])
    await directory.setVramBudget(first.id, undefined)
    expect(await directory.register(report(), signal)).toMatchObject({ vramBudget: 8 * 2 ** 30 })
  })

  it('keep models and drain when they only renew their credentials', async () => {
    await using world = await open()
    const { id } = await world.directory.register(report(), signal)
    await world.addReplica(id)
    await world.directory.drain(id)
    world.set({ answers: true })
    expect(await world.directory.register(report(), signal)).toMatchObject({ id, status: 'draining' })
    expect(await world.replicas.list({ nodeId: id })).toHaveLength(1)
  })

  it('keep their name from other machines while they are there', async () => {
    await using world = await open({ approvesNew: false })
    const { directory, store } = world
    const other = report({ address: '10.0.0.9:26051', http_address: '10.0.0.9:26050' })
    const files = report({ http_address: '10.0.0.9:26050' })
    const taken = { kind: 'conflict', code: 'node_name_taken' }
    const { id } = await directory.register(report(), signal)
    // Nobody has approved one yet: the last one counts.
    expect(await directory.register(other, signal)).toMatchObject({ id, status: 'pending', address: other.address })
    await directory.register(report(), signal)
    await directory.approve(id)
    await world.addReplica(id)
    for (const answers of [true, false, undefined]) {
      world.set({ answers })
      for (const claim of [other, files]) await expect(directory.register(claim, signal)).rejects.toMatchObject(taken)
    }
    expect(await world.replicas.list()).toHaveLength(1)
    // Another port is the same machine.
    expect(await directory.register(report({ address: '127.0.0.1:27051' }), signal)).toMatchObject({
      status: 'healthy',
    })
    // Whoever has the token can deregister a worker. One that still answers keeps its name.
    await directory.deregister(id)
    world.set({ answers: true })
    await expect(directory.register(other, signal)).rejects.toMatchObject(taken)
    world.set({ answers: false })
    expect(await directory.register(other, signal)).toMatchObject({ id, status: 'healthy', address: other.address })
    world.set({ answers: undefined })
    await store.change(id, { heartbeatAt: 1000 })
    expect(await directory.register(report(), signal)).toMatchObject({ id, status: 'healthy' })
  })

  it('wait for approval in a bounded number, and are forgotten when they are gone', async () => {
    await using world = await open({ approvesNew: false })
    const { directory, store } = world
    await directory.register(report({ name: 'p0' }), signal)
    const { queries } = world.database
    const [row] = await queries.rows((db, { nodes }) => db.select().from(nodes))
    if (row === undefined) return expect.unreachable('there is no row')
    const others = Array.from({ length: 499 }, (_, index) => ({ ...row, id: `id-${index}`, name: `p${index + 1}` }))
    await queries.change((db, { nodes }) => db.insert(nodes).values(others))
    await expect(directory.register(report({ name: 'late' }), signal)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'too_many_pending_nodes',
    })
    // Those that are known or approved still come.
    expect(await directory.register(report({ name: 'p7' }), signal)).toMatchObject({ status: 'pending' })
    const approved = await store.register(report({ name: 'trusted' }), { isApproved: true, keepsState: false })
    const all = await store.list()
    const silent = [approved, ...all.filter(({ name }) => ['p1', 'p2', 'p3'].includes(name))]
    for (const { id } of silent) await store.change(id, { heartbeatAt: 1000 })
    await world.watch(75_000)
    const left = await store.list()
    expect(left).toHaveLength(498)
    expect(left.map(({ name }) => name)).toEqual(expect.not.arrayContaining(['p1', 'p2', 'p3']))
    expect(left.map(({ name }) => name)).toContain('trusted')
    expect(await directory.register(report({ name: 'late' }), signal)).toMatchObject({ status: 'pending' })
  })

  it('tell only what has changed in a heartbeat, which ends reservations and heals', async () => {
    await using world = await open()
    const { directory } = world
    const { id } = await directory.register(report(), signal)
    await directory.reserveVram(id, 1000)
    await directory.reserveVram(id, -400)
    await directory.reportUnreachable(id)
    expect(await directory.need(id)).toMatchObject({ reservedVram: 600, status: 'unhealthy' })
    await directory.heartbeat(id, { available_disk: 0, total_disk: 100 })
    expect(await directory.need(id)).toMatchObject({
      reservedVram: 600,
      status: 'healthy',
      totalVram: 16 * 2 ** 30,
      totalDisk: 100,
      availableDisk: 0,
    })
    await directory.heartbeat(id, { available_vram: 7 })
    expect(await directory.need(id)).toMatchObject({ reservedVram: 0, availableVram: 7 })
    // A worker without devices never tells of device memory.
    const plain = await directory.register(report({ name: 'plain', total_vram: 0, total_ram: 1000 }), signal)
    await directory.reserveVram(plain.id, 300)
    await directory.heartbeat(plain.id, { available_ram: 700 })
    expect(await directory.need(plain.id)).toMatchObject({ reservedVram: 0, availableRam: 700 })
    await directory.reserveVram(id, 300)
    await directory.heartbeat(id, { available_ram: 700 })
    expect(await directory.need(id)).toMatchObject({ reservedVram: 300 })
    await expect(directory.heartbeat('nobody', {})).rejects.toThrow('node not found')
  })

  it('go offline only when they are silent, do not answer, and this server has watched long enough', async () => {
    await using world = await open()
    const { directory, store } = world
    const { id } = await directory.register(report(), signal)
    await world.addReplica(id)
    const silence = () => store.change(id, { heartbeatAt: 1000 })
    await silence()
    // Servers were away: nobody could have heard the worker.
    await world.watch(45_000)
    expect(await directory.need(id)).toMatchObject({ status: 'healthy' })
    // The bus is away: a worker of another kind sends nothing meanwhile.
    world.set({ isConnected: false })
    await world.watch(300_000)
    expect(await directory.need(id)).toMatchObject({ status: 'healthy' })
    world.set({ isConnected: true, answers: true })
    await world.watch(90_000)
    expect((await directory.need(id)).heartbeatAt).toBeGreaterThan(1000)
    await silence()
    world.set({ answers: false })
    await world.watch(15_000)
    expect(await directory.need(id)).toMatchObject({ status: 'offline' })
    expect(await world.replicas.list()).toEqual([])
    await directory.heartbeat(id, {})
    expect(await directory.need(id)).toMatchObject({ status: 'offline' })
    await world.watch(15_000)
    expect(await directory.need(id)).toMatchObject({ status: 'healthy' })
    await directory.deregister(id)
    await world.watch(15_000)
    expect(await directory.need(id)).toMatchObject({ status: 'offline', heartbeatAt: 0 })
  })

  it('have rules, which can be set, noted and removed', async () => {
    await using world = await open()
    const rules = createSchedulingRules({ database: world.database, clock: systemClock })
    const [draft] = parseSchedulingConfig('{"m": {"min_replicas": 1, "node_selector": {"tier": "fast"}}}', 'SVC_X')
    if (draft === undefined) throw new Error('no rules')
    await rules.set(draft)
    await rules.noteOutcome('m', { ticks: 3, restUntil: 99 })
    expect(await rules.get('m')).toMatchObject({ minReplicas: 1, unsatisfiableTicks: 3, unsatisfiableUntil: 99 })
    expect(await rules.get('other')).toMatchObject({ model: 'other', minReplicas: 0, nodeSelector: {} })
    expect([await rules.remove('m'), await rules.remove('m')]).toEqual([true, false])
  })
})

it('budgets are bytes, amounts or shares', () => {
  expect(['8GB', '1GiB', '5000', '0.5tb'].map((text) => toBudgetBytes(text, 0))).toEqual([8e9, 2 ** 30, 5000, 5e11])
  expect([toBudgetBytes('80%', 1000), toBudgetBytes('80%', 0), toBudgetBytes('', 10)]).toEqual([
    800,
    undefined,
    undefined,
  ])
  expect(['0', '101%', '-1', 'lots', '1XB', ''].map(parseVramBudget)).toEqual(Array(6).fill(undefined))
})

it('rules and registrations that are wrong are refused by name', () => {
  const parse = (text: string) => () => parseSchedulingConfig(text, 'SVC_MODEL_SCHEDULING')
  expect(parse('{')).toThrow('SVC_MODEL_SCHEDULING is not JSON')
  expect(parse('7')).toThrow('SVC_MODEL_SCHEDULING is not a list')
  expect(parse('[{"model_name":"m","replicas":1}]')).toThrow('rule 1')
  expect(parse('{"m":{"min_replicas":3,"max_replicas":2}}')).toThrow('m: min_replicas is larger')
  expect(parse('{"m":{"spread_all":true,"min_replicas":1}}')).toThrow('spread_all')
  expect(parse('[{"model_name":"m"},{"model_name":"m"}]')).toThrow('two rules')
  for (const fields of [
    { address: '' },
    { address: 'host' },
    { address: 'h:0' },
    { address: 'evil@h/path:1' },
    { name: '\n' },
    { vram_budget: 'lots' },
    { labels: { 'a b': '' } },
    { labels: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, 'v'.repeat(256)])) },
    { address: '999.1.1.1:80' },
  ])
    expect(() => report(fields), JSON.stringify(fields)).toThrow()
  expect(report({ total_vram: 1e300, available_vram: 1e300, total_ram: 1e300 }).resources).toMatchObject({
    totalVram: Number.MAX_SAFE_INTEGER,
    availableVram: Number.MAX_SAFE_INTEGER,
    totalRam: Number.MAX_SAFE_INTEGER,
  })
  expect(report({ http_address: '' }).httpAddress).toBe('127.0.0.1:26050')
})
