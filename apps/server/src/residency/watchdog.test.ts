import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { createBackendCatalog } from '../backends/catalog.ts'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { createScriptedSupervisor } from './__fixtures__/scripted-supervisor.ts'
import { createLoadCooldown } from './cooldown.ts'
import { createResidency } from './residency.ts'
import { type MemoryReading, startWatchdog, type WatchdogPolicy } from './watchdog.ts'

async function createWorld(watch: Partial<WatchdogPolicy>) {
  const clock = createFakeClock()
  const supervisor = createScriptedSupervisor(clock)
  const builtIn = { mock: { entry: '/app/mock.js', execArgv: [] } }
  const residency = createResidency({
    catalog: await createBackendCatalog({ folders: [], builtIn, external: {}, logger: silentLogger }),
    supervisor,
    toLoadRequest: (model) => ({ Model: model.name, ContextSize: model.contextSize ?? 0 }),
    cooldown: createLoadCooldown({ firstMs: 10_000, clock }),
    modelLoadWaitMs: 0,
    clock,
    logger: silentLogger,
  })
  let policy: WatchdogPolicy = {
    intervalMs: 500,
    busyTimeoutMs: undefined,
    idleTimeoutMs: undefined,
    memoryThreshold: undefined,
    ...watch,
  }
  const readings: (MemoryReading | undefined)[] = []
  const watchdog = startWatchdog({
    watched: () => residency.watched(),
    policy: () => policy,
    readMemory: async () => readings.shift(),
    clock,
    logger: silentLogger,
  })
  const acquire = (changes: Partial<ModelConfig> = {}) =>
    residency.acquire(createModel(changes), { signal: new AbortController().signal })
  return {
    clock,
    supervisor,
    script: supervisor.script,
    residency,
    watchdog,
    readings,
    acquire,
    use: async (name: string, changes: Partial<ModelConfig> = {}) => (await acquire({ name, ...changes })).release(),
    names: () => residency.loaded().map(({ name }) => name),
    change(next: Partial<WatchdogPolicy>) {
      policy = { ...policy, ...next }
      watchdog.wake()
    },
    [Symbol.asyncDispose]: () => watchdog.close(),
  }
}

/** Lets all work run that waits for a settled promise. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('the idle watchdog', () => {
  // verifies residency:stop:evicted
  it('stops a model that was idle for longer than its time, with Free and patience', async () => {
    await using world = await createWorld({ idleTimeoutMs: 10_000 })
    await world.use('a')
    await world.clock.advance(9_500)
    await world.use('b')
    await world.clock.advance(1_000)
    await settle()
    expect(world.names()).toEqual(['b'])
    expect(world.supervisor.backends[0]?.stops).toEqual([{ graceMs: 15_000, freeMs: undefined }])
    await world.clock.advance(10_000)
    await settle()
    expect(world.names()).toEqual([])
  })

  it('leaves busy, pinned and unused models alone', async () => {
    await using world = await createWorld({ idleTimeoutMs: 1_000 })
    const working = await world.acquire({ name: 'working' })
    await world.use('pinned', { pinned: true })
    const leaving = new AbortController()
    const unused = world.residency.acquire(createModel({ name: 'unused' }), { signal: leaving.signal })
    leaving.abort()
    await expect(unused).rejects.toMatchObject({ kind: 'cancelled' })
    await settle()
    await world.clock.advance(60_000)
    expect(world.names()).toEqual(['working', 'pinned', 'unused'])
    working.release()
    await world.clock.advance(2_000)
    await settle()
    expect(world.names()).toEqual(['pinned', 'unused'])
  })

  // verifies residency:stop:forgets-timers
  it('begins anew for a model that was stopped and came back', async () => {
    await using world = await createWorld({ idleTimeoutMs: 10_000 })
    await world.use('a')
    await world.clock.advance(9_000)
    await world.residency.stop('a')
    await world.use('a')
    await world.clock.advance(9_000)
    await settle()
    expect(world.names()).toEqual(['a'])
    expect(world.residency.watched()).toHaveLength(1)
  })
})

describe('the busy watchdog', () => {
  it('stops a model by force when its oldest call takes too long, pinned or not', async () => {
    await using world = await createWorld({ busyTimeoutMs: 10_000 })
    await world.acquire({ name: 'stuck', pinned: true })
    await world.clock.advance(9_000)
    const young = await world.acquire({ name: 'stuck', pinned: true })
    young.release()
    await world.acquire({ name: 'fine' })
    await world.clock.advance(1_500)
    await settle()
    expect(world.names()).toEqual(['fine'])
    expect(world.supervisor.backends[0]?.stops).toEqual([{ graceMs: 15_000, freeMs: 0 }])
  })

  it('measures each call, not the time a model is busy', async () => {
    await using world = await createWorld({ busyTimeoutMs: 10_000 })
    let held = await world.acquire()
    for (let round = 0; round < 5; round++) {
      await world.clock.advance(8_000)
      const next = await world.acquire()
      held.release()
      held = next
    }
    expect(world.names()).toEqual(['m'])
  })

  it('aborts a load that hangs; waiters are rejected, and no cooldown starts', async () => {
    await using world = await createWorld({ busyTimeoutMs: 10_000 })
    world.script.onLoad = (_request, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const waiting = world.acquire().catch((error: unknown) => error)
    await settle()
    await world.clock.advance(11_000)
    expect(await waiting).toMatchObject({ kind: 'unavailable', code: 'model_stopped' })
    world.script.onLoad = async () => ({ success: true, message: '' })
    expect((await world.acquire()).backend).toBe('mock')
  })

  it('ends an earlier version that goes on working after its file has changed', async () => {
    await using world = await createWorld({ busyTimeoutMs: 10_000 })
    await world.acquire({ contextSize: 512 })
    await world.clock.advance(5_000)
    await world.acquire({ contextSize: 1024 })
    await world.clock.advance(5_500)
    await settle()
    expect(world.supervisor.backends.map((backend) => backend.hasExited())).toEqual([true, false])
  })
})

describe('the memory reclaimer', () => {
  const short: MemoryReading = { kind: 'ram', usedShare: 0.96 }

  it('stops the least recently used model at each look, until there is enough', async () => {
    await using world = await createWorld({})
    for (const name of ['a', 'b', 'c']) {
      await world.use(name)
      await world.clock.advance(1)
    }
    world.readings.push(short, { kind: 'gpu', usedShare: 0.99 }, { kind: 'ram', usedShare: 0.95 })
    world.change({ memoryThreshold: 0.95 })
    await settle()
    expect(world.names()).toEqual(['b', 'c'])
    await world.clock.advance(500)
    await settle()
    expect(world.names()).toEqual(['c'])
    await world.clock.advance(500)
    await settle()
    expect(world.names()).toEqual(['c'])
    expect(world.readings).toEqual([])
  })

  it('leaves busy and pinned models alone, and does nothing when memory cannot be read', async () => {
    await using world = await createWorld({ memoryThreshold: 0.5 })
    await world.acquire({ name: 'working' })
    await world.use('pinned', { pinned: true })
    world.readings.push(short, short, undefined)
    await world.clock.advance(1_500)
    await settle()
    expect(world.names()).toEqual(['working', 'pinned'])
    expect(world.readings).toEqual([])
  })

  it('waits for one to be gone before it takes the next', async () => {
    await using world = await createWorld({})
    await world.use('a')
    await world.clock.advance(1)
    await world.use('b')
    const gate = createDeferred()
    const [first] = world.supervisor.backends
    if (first === undefined) throw new Error('nothing was loaded')
    const { stop } = first
    Object.assign(first, { stop: (options: Parameters<typeof stop>[0]) => gate.promise.then(() => stop(options)) })
    world.readings.push(short, short)
    world.change({ memoryThreshold: 0.95 })
    await settle()
    await world.clock.advance(5_000)
    expect(world.names()).toEqual(['b'])
    expect(world.readings).toHaveLength(1)
    gate.resolve()
    await settle()
  })
})

describe('settings', () => {
  it('count from the moment they change, with the time that has passed', async () => {
    await using world = await createWorld({})
    await world.use('a')
    await world.clock.advance(20_000)
    expect(world.names()).toEqual(['a'])
    world.change({ idleTimeoutMs: 30_000 })
    await settle()
    await world.clock.advance(10_500)
    await settle()
    expect(world.names()).toEqual([])
  })

  it('may make a sleeping watchdog look more often', async () => {
    await using world = await createWorld({ idleTimeoutMs: 1_000, intervalMs: 3_600_000 })
    await world.use('a')
    world.change({ intervalMs: 100 })
    await settle()
    await world.clock.advance(1_200)
    await settle()
    expect(world.names()).toEqual([])
  })
})

it('close waits for the stops that it began', async () => {
  const world = await createWorld({ idleTimeoutMs: 1_000 })
  await world.use('a')
  await world.clock.advance(2_000)
  await world.watchdog.close()
  expect(world.supervisor.backends[0]?.hasExited()).toBe(true)
  expect(world.clock.sleepers).toBe(0)
})
