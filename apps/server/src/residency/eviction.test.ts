/** Eviction through the residency, on backends that the test controls. */
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { createBackendCatalog } from '../backends/catalog.ts'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { createScriptedSupervisor } from './__fixtures__/scripted-supervisor.ts'
import { createLoadCooldown } from './cooldown.ts'
import type { EvictionPolicy } from './eviction-plan.ts'
import { createResidency, type ResidencyOptions } from './residency.ts'

async function createWorld(limits: Partial<EvictionPolicy>, options: Partial<ResidencyOptions> = {}) {
  const clock = createFakeClock()
  const supervisor = createScriptedSupervisor(clock)
  const builtIn = { mock: { entry: '/app/mock.js', execArgv: [] } }
  let policy: EvictionPolicy = {
    maxActive: 0,
    forceWhenBusy: false,
    largestFirst: false,
    patienceMs: 30_000,
    retryIntervalMs: 1000,
    ...limits,
  }
  const residency = createResidency({
    catalog: await createBackendCatalog({ folders: [], builtIn, external: {}, logger: silentLogger }),
    supervisor,
    toLoadRequest: (model) => ({ Model: model.name, ContextSize: model.contextSize ?? 0 }),
    cooldown: createLoadCooldown({ firstMs: 10_000, clock }),
    modelLoadWaitMs: 60_000,
    eviction: () => policy,
    clock,
    logger: silentLogger,
    ...options,
  })
  const acquire = (model: string | Partial<ModelConfig>, signal = new AbortController().signal) =>
    residency.acquire(createModel(typeof model === 'string' ? { name: model } : model), { signal })
  const use = async (model: string | Partial<ModelConfig>) => {
    ;(await acquire(model)).release()
    await clock.advance(1)
  }
  return {
    clock,
    supervisor,
    script: supervisor.script,
    residency,
    acquire,
    use,
    names: () => residency.loaded().map(({ name }) => name),
    backendOf: (name: string) => supervisor.backends.findLast(({ loads }) => loads[0]?.Model === name),
    change(next: Partial<EvictionPolicy>) {
      policy = { ...policy, ...next }
      residency.reconsider()
    },
  }
}

async function catchRejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** Lets all work run that waits for a settled promise. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('a limit of models', () => {
  it('stops the least recently used one before the next is loaded', async () => {
    const { use, names, backendOf, script } = await createWorld({ maxActive: 2 })
    await use('a')
    await use('b')
    await use('a')
    let wasGone: boolean | undefined
    script.onStart = async () => {
      wasGone = backendOf('b')?.hasExited()
    }
    await use('c')
    expect(wasGone).toBe(true)
    expect(names()).toEqual(['a', 'c'])
    expect(backendOf('b')?.stops).toEqual([{ graceMs: 15_000, freeMs: undefined }])
  })

  it('counts a model that was never used from its load on', async () => {
    const { residency, use, names, clock, acquire } = await createWorld({ maxActive: 2 })
    await use('a')
    const waiting = new AbortController()
    const loading = catchRejection(acquire('b', waiting.signal))
    waiting.abort()
    await loading
    await settle()
    expect(residency.loaded().map(({ lastUsed }) => lastUsed !== undefined)).toEqual([true, false])
    await clock.advance(1)
    await use('c')
    expect(names()).toEqual(['b', 'c'])
  })

  it.each([false, true])('is never exceeded by loads that come together; largest first: %s', async (largestFirst) => {
    const { supervisor, residency, acquire, backendOf } = await createWorld(
      { maxActive: 2, largestFirst },
      { measureMemory: async (pid) => (pid * 7919) % 13 },
    )
    let most = 0
    const use = async (name: string) => {
      const lease = await acquire(name)
      expect(backendOf(name)?.stops).toEqual([])
      most = Math.max(most, supervisor.backends.filter((backend) => !backend.hasExited()).length)
      await settle()
      lease.release()
    }
    await Promise.all(Array.from({ length: 40 }, (_, index) => use(`m${index % 8}`)))
    expect(most).toBe(2)
    expect(residency.loaded()).toHaveLength(2)
  })

  it('skips a busy model, and waits when all are busy', async () => {
    const { acquire, use, names } = await createWorld({ maxActive: 2 })
    const busy = await acquire('a')
    await use('b')
    await use('c')
    expect(names()).toEqual(['a', 'c'])
    const alsoBusy = await acquire('c')
    const waiting = acquire('d')
    await settle()
    expect(names()).toEqual(['a', 'c'])
    busy.release()
    ;(await waiting).release()
    expect(names()).toEqual(['c', 'd'])
    alsoBusy.release()
  })

  it('gives the place that gets free to the load that waits longest', async () => {
    const { acquire, names } = await createWorld({ maxActive: 1 })
    const busy = await acquire('a')
    const order: string[] = []
    const waiting = ['b', 'c', 'd'].map(async (name) => {
      const lease = await acquire(name)
      order.push(name)
      lease.release()
    })
    await settle()
    busy.release()
    await Promise.all(waiting)
    expect(order).toEqual(['b', 'c', 'd'])
    expect(names()).toEqual(['d'])
  })

  it('does not evict a model before the requests that waited for its load', async () => {
    const { acquire, script, backendOf } = await createWorld({ maxActive: 1 })
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const [first, second] = [acquire('a'), acquire('b')]
    await settle()
    gate.resolve()
    const lease = await first
    await settle()
    expect(backendOf('a')?.stops).toEqual([])
    lease.release()
    await second
    expect(backendOf('a')?.hasExited()).toBe(true)
  })

  it('answers 503 for now when its patience is over, and starts no cooldown', async () => {
    const { acquire, clock } = await createWorld({ maxActive: 1 })
    const busy = await acquire('a')
    const refused = catchRejection(acquire('b'))
    await settle()
    await clock.advance(29_999)
    await settle()
    await clock.advance(1)
    expect(await refused).toMatchObject({
      kind: 'unavailable',
      code: 'eviction_impossible',
      retryAfterMs: 1000,
      message: 'no room to load model "b": as many models as may be (1) are at work',
    })
    busy.release()
    expect((await acquire('b')).backend).toBe('mock')
  })

  it('without retries does not wait at all', async () => {
    const { acquire } = await createWorld({ maxActive: 1, patienceMs: 0 })
    await acquire('a')
    expect(await catchRejection(acquire('b'))).toMatchObject({ code: 'eviction_impossible' })
  })

  it('leaves pinned models alone, and does not wait for them', async () => {
    const { acquire, use, names } = await createWorld({ maxActive: 2 })
    await use({ name: 'a', pinned: true })
    await use('b')
    await use('c')
    expect(names()).toEqual(['a', 'c'])
    await use({ name: 'd', pinned: true })
    expect(await catchRejection(acquire('e'))).toMatchObject({
      code: 'eviction_impossible',
      message: 'no room to load model "e": as many models as may be (2) are pinned',
    })
  })

  it('stops busy models where that is asked for, without waiting', async () => {
    const { acquire, names, backendOf } = await createWorld({ maxActive: 1, forceWhenBusy: true })
    await acquire('a')
    await acquire('b')
    expect(names()).toEqual(['b'])
    expect(backendOf('a')?.stops[0]).toEqual({ graceMs: 15_000, freeMs: 0 })
  })

  it('stops the largest first where that is asked for', async () => {
    const bytes = new Map([
      [1000, 10],
      [1001, 30],
      [1002, 20],
    ])
    const { use, names } = await createWorld(
      { maxActive: 3, largestFirst: true },
      { measureMemory: async (pid) => bytes.get(pid) ?? 40 },
    )
    for (const name of ['a', 'b', 'c', 'd']) await use(name)
    expect(names()).toEqual(['a', 'c', 'd'])
    await use('e')
    expect(names()).toEqual(['a', 'c', 'e'])
  })

  it('holds from the moment it is changed', async () => {
    const { acquire, use, names, change } = await createWorld({ maxActive: 1 })
    const busy = await acquire('a')
    const waiting = acquire('b')
    await settle()
    change({ maxActive: 2 })
    ;(await waiting).release()
    expect(names()).toEqual(['a', 'b'])
    busy.release()
    change({ maxActive: 1 })
    await use('c')
    expect(names()).toEqual(['c'])
  })

  it('is not lowered by a load that fails or is broken off', async () => {
    const { acquire, use, script, residency, names } = await createWorld({ maxActive: 1 })
    script.onLoad = async () => ({ success: false, message: 'broken' })
    expect(await catchRejection(acquire('a'))).toMatchObject({ code: 'model_load_failed' })
    script.onLoad = (_request, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const broken = catchRejection(acquire('b'))
    await settle()
    await residency.stop('b', { force: true })
    expect(await broken).toMatchObject({ code: 'model_stopped' })
    script.onLoad = async () => ({ success: true, message: '' })
    await use('c')
    expect(names()).toEqual(['c'])
  })

  it('gives a place back that a dead backend held', async () => {
    const { acquire, names, backendOf } = await createWorld({ maxActive: 1 })
    await acquire('a')
    const waiting = acquire('b')
    await settle()
    backendOf('a')?.die({ code: null, signal: 'SIGKILL' })
    await waiting
    expect(names()).toEqual(['b'])
  })

  it('evicts no model for a load without waiting requests', async () => {
    const { acquire, names, use, residency } = await createWorld({ maxActive: 1 })
    const busy = await acquire('a')
    const leaving = new AbortController()
    const left = catchRejection(acquire('b', leaving.signal))
    await settle()
    leaving.abort()
    expect(await left).toMatchObject({ kind: 'cancelled' })
    busy.release()
    await settle()
    expect(names()).toEqual(['a'])
    await residency.stop('a')
    await settle()
    expect(names()).toEqual([])
    await use('b')
    expect(names()).toEqual(['b'])
  })

  it('counts a changed model twice until its earlier version is gone', async () => {
    const { acquire, names } = await createWorld({ maxActive: 1 })
    const old = await acquire({ name: 'a', contextSize: 512 })
    const next = acquire({ name: 'a', contextSize: 1024 })
    await settle()
    expect(names()).toEqual([])
    old.release()
    await next
    expect(names()).toEqual(['a'])
  })

  it('ends a wait when the server stops', async () => {
    const { acquire, residency } = await createWorld({ maxActive: 1 })
    await acquire('a')
    const waiting = catchRejection(acquire('b'))
    await settle()
    await residency.close({ graceMs: 1000 })
    expect(await waiting).toMatchObject({ code: 'shutting_down' })
  })
})

describe('concurrency groups', () => {
  it('are exclusive: models that share one leave first, others stay', async () => {
    const { use, names } = await createWorld({})
    await use({ name: 'a', concurrencyGroups: ['gpu'] })
    await use({ name: 'b', concurrencyGroups: ['cpu'] })
    await use({ name: 'c', concurrencyGroups: ['gpu', 'disk'] })
    expect(names()).toEqual(['b', 'c'])
  })

  it('wait for a busy member without delaying other loads', async () => {
    const { acquire, use, names } = await createWorld({})
    const busy = await acquire({ name: 'a', concurrencyGroups: ['gpu'] })
    const waiting = acquire({ name: 'b', concurrencyGroups: ['gpu'] })
    await use({ name: 'c', concurrencyGroups: ['cpu'] })
    expect(names()).toEqual(['a', 'c'])
    busy.release()
    await waiting
    expect(names()).toEqual(['c', 'b'])
  })

  it('also exclude a member that is being loaded', async () => {
    const { acquire, script, names, supervisor } = await createWorld({})
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const first = acquire({ name: 'a', concurrencyGroups: ['gpu'] })
    const second = acquire({ name: 'b', concurrencyGroups: ['gpu'] })
    await settle()
    gate.resolve()
    ;(await first).release()
    ;(await second).release()
    expect(supervisor.backends[0]?.hasExited()).toBe(true)
    expect(names()).toEqual(['b'])
  })
})
