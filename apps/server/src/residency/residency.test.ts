import { mkdir, writeFile } from 'node:fs/promises'
import { BackendError } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { type BackendCatalog, createBackendCatalog } from '../backends/catalog.ts'
import type { ExitReport } from '../backends/process.ts'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { createScriptedSupervisor } from './__fixtures__/scripted-supervisor.ts'
import { createLoadCooldown } from './cooldown.ts'
import { createResidency, type ResidencyOptions } from './residency.ts'

const builtIn = { mock: { entry: '/app/mock.js', execArgv: [] }, llama: { entry: '/app/llama.js', execArgv: [] } }

async function createWorld(options: Partial<ResidencyOptions> = {}) {
  const clock = createFakeClock()
  const supervisor = createScriptedSupervisor(clock)
  const external = { remote: '127.0.0.1:9' }
  const catalog = await createBackendCatalog({ folders: [], builtIn, external, logger: silentLogger })
  const residency = createResidency({
    catalog,
    supervisor,
    toLoadRequest: (model) => ({ Model: model.parameters.model ?? '', ContextSize: model.contextSize ?? 0 }),
    cooldown: createLoadCooldown({ firstMs: 10_000, clock }),
    modelLoadWaitMs: 60_000,
    clock,
    logger: silentLogger,
    ...options,
  })
  const acquire = (model: ModelConfig = createModel(), signal = new AbortController().signal) =>
    residency.acquire(model, { signal })
  const use = async (model?: ModelConfig) => (await acquire(model)).release()
  return { clock, supervisor, script: supervisor.script, catalog, residency, acquire, use }
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

const EXITED = { how: 'exited', endedCalls: 0 }

/** A load that goes on until it is aborted. */
const untilAborted = (_request: unknown, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('acquire', () => {
  it('loads on first use and hands out the same backend afterwards', async () => {
    const { residency, supervisor, acquire } = await createWorld()
    const model = createModel({ parameters: { model: 'weights.gguf' }, contextSize: 512 })
    const first = await acquire(model)
    const second = await acquire(model)
    expect(supervisor.backends).toHaveLength(1)
    expect(supervisor.backends[0]?.loads).toEqual([{ Model: 'weights.gguf', ContextSize: 512 }])
    expect(second.client).toBe(first.client)
    expect(first.backend).toBe('mock')
    expect(residency.loaded()).toMatchObject([{ name: 'm', backend: 'mock', pid: 1000, inFlight: 2 }])
  })

  it('shares one load between 100 first requests (REL-6)', async () => {
    const { residency, supervisor, script, acquire } = await createWorld()
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const all = Array.from({ length: 100 }, () => acquire())
    gate.resolve()
    const leases = await Promise.all(all)
    expect(supervisor.backends).toHaveLength(1)
    expect(supervisor.backends[0]?.loads).toHaveLength(1)
    expect(residency.loaded()[0]?.inFlight).toBe(100)
    for (const lease of leases) lease.release()
    expect(residency.loaded()[0]?.inFlight).toBe(0)
  })

  it('loads different models side by side', async () => {
    const { residency, acquire } = await createWorld()
    await Promise.all([acquire(createModel({ name: 'a' })), acquire(createModel({ name: 'b' }))])
    expect(residency.loaded().map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('tells the supervisor how long the model file lets it wait', async () => {
    const { script, use } = await createWorld()
    const seen: unknown[] = []
    script.onStart = async (_program, { modelName, attempts, attemptsSleepSeconds }) => {
      seen.push({ modelName, attempts, attemptsSleepSeconds })
    }
    await use(createModel({ grpc: { attempts: 3, attemptsSleepSeconds: 5 } }))
    expect(seen).toEqual([{ modelName: 'm', attempts: 3, attemptsSleepSeconds: 5 }])
  })

  it('counts use: in flight until released once, and when last', async () => {
    const { residency, clock, acquire } = await createWorld()
    const lease = await acquire()
    await clock.advance(5000)
    lease.release()
    lease.release()
    expect(residency.loaded()).toMatchObject([{ inFlight: 0, lastUsed: clock.now() }])
    await clock.advance(1000)
    expect(residency.loaded()[0]?.lastUsed).toBe(clock.now() - 1000)
  })

  it('lets a request leave alone while the load goes on for the others, even without any (REL-4)', async () => {
    const { residency, supervisor, script, acquire } = await createWorld()
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const [first, second] = [new AbortController(), new AbortController()]
    const leaving = catchRejection(acquire(createModel(), first.signal))
    const leavingToo = catchRejection(acquire(createModel(), second.signal))
    first.abort()
    expect(await leaving).toMatchObject({ kind: 'cancelled' })
    second.abort()
    expect(await leavingToo).toMatchObject({ kind: 'cancelled' })
    gate.resolve()
    await settle()
    expect(supervisor.backends).toHaveLength(1)
    expect(residency.loaded()).toMatchObject([{ name: 'm', inFlight: 0 }])
  })

  it('sends a request away that waited too long, and keeps loading', async () => {
    const { residency, script, clock, acquire } = await createWorld()
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const waiting = catchRejection(acquire())
    await clock.waitForSleepers(1)
    await clock.advance(60_000)
    expect(await waiting).toMatchObject({
      kind: 'unavailable',
      code: 'model_loading',
      message: 'model "m" is still loading',
      retryAfterMs: 2000,
      details: { type: 'model_loading', loading: { model: 'm', state: 'loading', progress: 0 } },
    })
    const next = acquire()
    gate.resolve()
    await next
    expect(residency.loaded()).toMatchObject([{ inFlight: 1 }])
  })

  it('waits for ever with 0', async () => {
    const { script, clock, acquire } = await createWorld({ modelLoadWaitMs: 0 })
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const waiting = acquire()
    await clock.advance(86_400_000)
    gate.resolve()
    expect((await waiting).backend).toBe('mock')
  })
})

describe('the backend of a model', () => {
  it('is llama for GGUF weights without a backend', async () => {
    const { residency, use } = await createWorld()
    await use(createModel({ name: 'a', backend: '', file: 'plain.GGUF', source: 'file' }))
    await use(createModel({ name: 'b', backend: '', parameters: { model: 'x/y.gguf' } }))
    expect(residency.loaded().map(({ backend }) => backend)).toEqual(['llama', 'llama'])
  })

  it('is searched when the file names none: the first that takes the weights, in one attempt (§3.4)', async () => {
    await using dir = await tempDir()
    for (const name of ['bonsai', 'ik-llama-cpp', 'vllm', 'piper']) {
      await mkdir(dir.join(name))
      await writeFile(dir.join(name, 'run.sh'), '', { mode: 0o755 })
    }
    const catalog = await createBackendCatalog({ folders: [dir.path], builtIn, external: {}, logger: silentLogger })
    const { residency, supervisor, script, acquire } = await createWorld({ catalog })
    const tried: string[] = []
    script.onStart = async ({ name }) => {
      tried.push(name)
      if (name === 'bonsai') throw new SvcError('internal', 'grpc service not ready')
    }
    script.onLoad = async () => ({ success: tried.at(-1) === 'ik-llama-cpp', message: 'not mine' })
    const model = createModel({ backend: 'llama', parameters: { model: 'x.gguf' } })
    await acquire(model)
    expect(tried).toEqual(['llama', 'bonsai', 'ik-llama-cpp'])
    expect(residency.loaded()).toMatchObject([{ name: 'm', backend: 'ik-llama-cpp' }])
    expect(supervisor.backends.map((backend) => backend.hasExited())).toEqual([true, false])

    tried.length = 0
    script.onLoad = async () => ({ success: false, message: 'not mine' })
    const other = createModel({ name: 'n', backend: 'llama', parameters: { model: 'x.gguf' } })
    expect(await catchRejection(acquire(other))).toMatchObject({
      code: 'model_load_failed',
      message:
        'could not load model "n": llama: not mine; bonsai: grpc service not ready; ik-llama-cpp: not mine; vllm: not mine',
    })
    expect(await catchRejection(acquire(other))).toMatchObject({ code: 'model_load_cooldown', retryAfterMs: 10_000 })
    expect(tried).toHaveLength(4)

    tried.length = 0
    const named = createModel({
      name: 'o',
      backend: 'llama',
      parameters: { model: 'x.gguf' },
      raw: { backend: 'llama' },
    })
    expect(await catchRejection(acquire(named))).toMatchObject({ message: 'could not load model "o": not mine' })
    expect(tried).toEqual(['llama'])
  })

  it('cannot be guessed for other files, and the error lists the backends', async () => {
    const { acquire } = await createWorld()
    expect(await catchRejection(acquire(createModel({ backend: '', file: 'x.safetensors' })))).toMatchObject({
      kind: 'internal',
      code: 'model_load_failed',
      message: 'could not load model "m": it names no backend; known backends: llama, mock, remote',
    })
    const unknown = createModel({ name: 'n', backend: '$(reboot)' })
    expect(await catchRejection(acquire(unknown))).toMatchObject({
      message: 'could not load model "n": backend "$(reboot)" is not installed; known backends: llama, mock, remote',
    })
  })

  it('is never started for weights that are not there, and they count as soon as they are', async () => {
    const { supervisor, acquire } = await createWorld()
    const model = createModel({ backend: 'llama', parameters: { model: 'gone.gguf' }, weightsMissing: true })
    const cause = 'could not load model "m": file "gone.gguf" is not in the models folder'
    expect(await catchRejection(acquire(model))).toMatchObject({ code: 'model_load_failed', message: cause })
    expect(await catchRejection(acquire(model))).toMatchObject({
      code: 'model_load_cooldown',
      message: `model "m" load is in cooldown after a recent failure; retry after 10s: ${cause}`,
    })
    expect(supervisor.backends).toHaveLength(0)
    const { weightsMissing: _, ...present } = model
    expect((await acquire(present)).backend).toBe('llama')
  })

  it('at an address is asked for weights that are missing here, because it may have its own folder', async () => {
    const { acquire } = await createWorld()
    expect((await acquire(createModel({ backend: 'remote', weightsMissing: true }))).backend).toBe('remote')
  })

  // verifies cooldown:window:missing
  it('that is not installed starts the cooldown, which says so and doubles', async () => {
    const { acquire, clock } = await createWorld()
    const unknown = createModel({ backend: 'not-there' })
    for (const [windowMs, shown] of [
      [10_000, '10s'],
      [20_000, '20s'],
    ] as const) {
      expect(await catchRejection(acquire(unknown))).toMatchObject({ kind: 'internal', code: 'model_load_failed' })
      expect(await catchRejection(acquire(unknown))).toMatchObject({
        kind: 'unavailable',
        code: 'model_load_cooldown',
        retryAfterMs: windowMs,
        message: expect.stringMatching(`retry after ${shown}: .*backend "not-there" is not installed`),
      })
      await clock.advance(windowMs)
    }
  })

  // verifies cooldown:window:missing-ends
  it('that is installed during its cooldown is used at once, and a failed load has a cooldown of its own', async () => {
    const { catalog } = await createWorld()
    let isInstalled = false
    const late: BackendCatalog = { ...catalog, resolve: (name) => (isInstalled ? catalog.resolve(name) : undefined) }
    const { acquire, use, residency, script } = await createWorld({ catalog: late })
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_failed' })
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_cooldown' })
    isInstalled = true
    await use()
    await residency.stop('m')
    script.onLoad = async () => ({ success: false, message: 'broken' })
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_failed' })
    expect(await catchRejection(acquire())).toMatchObject({
      message: 'model "m" load is in cooldown after a recent failure; retry after 10s',
    })
    isInstalled = false
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_cooldown' })
    isInstalled = true
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_cooldown' })
  })

  it('may have been installed a moment ago', async () => {
    const { catalog } = await createWorld()
    let isInstalled = false
    const late: BackendCatalog = {
      ...catalog,
      resolve: (name) => (isInstalled ? catalog.resolve(name) : undefined),
      async refresh() {
        isInstalled = true
      },
    }
    const { acquire } = await createWorld({ catalog: late })
    expect((await acquire()).backend).toBe('mock')
  })
})

describe('a load that fails', () => {
  it('gives every waiter the real error and refuses the model for the cooldown (§3.4)', async () => {
    const { supervisor, script, clock, acquire } = await createWorld()
    script.onLoad = async () => ({ success: false, message: 'no file /models/weights.gguf' })
    const errors = await Promise.all([catchRejection(acquire()), catchRejection(acquire())])
    for (const error of errors) {
      expect(error).toMatchObject({
        kind: 'internal',
        code: 'model_load_failed',
        message: 'could not load model "m": no file weights.gguf',
      })
    }
    expect(supervisor.backends).toHaveLength(1)
    expect(supervisor.backends[0]?.hasExited()).toBe(true)
    expect(await catchRejection(acquire())).toMatchObject({
      kind: 'unavailable',
      code: 'model_load_cooldown',
      retryAfterMs: 10_000,
    })
    expect(supervisor.backends).toHaveLength(1)
    await clock.advance(10_000)
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_failed' })
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_cooldown', retryAfterMs: 20_000 })
    await clock.advance(20_000)
    script.onLoad = async () => ({ success: true, message: '' })
    await acquire()
    expect(supervisor.backends).toHaveLength(3)
  })

  it('is over for a request that comes back at once', async () => {
    const { supervisor, script, clock, acquire } = await createWorld({
      cooldown: createLoadCooldown({ firstMs: 0, clock: createFakeClock() }),
    })
    script.onStart = async () => {
      if (supervisor.backends.length === 0) script.onStart = async () => undefined
      throw new SvcError('internal', 'first start fails')
    }
    const lease = await acquire().catch(() => acquire())
    expect(lease.backend).toBe('mock')
    expect(clock.sleepers).toBe(0)
  })

  it('because the process died tells how', async () => {
    const { supervisor, script, acquire } = await createWorld()
    script.onLoad = async () => {
      supervisor.backends[0]?.die({ code: 137, lastLines: ['allocating', 'out of memory'] })
      throw new BackendError('unavailable', 'the backend is not reachable', { code: 'backend_unavailable' })
    }
    expect(await catchRejection(acquire())).toMatchObject({
      message: 'could not load model "m": backend process exited with code 137: out of memory',
    })
  })

  it('because its configuration cannot be turned into a request is a failure like any other', async () => {
    const { acquire } = await createWorld({
      toLoadRequest() {
        throw new TypeError('cannot read /etc/secret')
      },
    })
    expect(await catchRejection(acquire())).toMatchObject({
      code: 'model_load_failed',
      message: 'could not load model "m": its configuration is not usable',
    })
    expect(await catchRejection(acquire())).toMatchObject({ code: 'model_load_cooldown' })
  })

  it.each([
    new SvcError('unavailable', 'no room for another process', { code: 'process_limit' }),
    new SvcError('unavailable', 'the server is shutting down', { code: 'shutting_down' }),
  ])('because nothing could be started starts no cooldown: $code', async (refusal) => {
    const { script, acquire } = await createWorld()
    script.onStart = () => Promise.reject(refusal)
    expect(await catchRejection(acquire())).toBe(refusal)
    script.onStart = async () => undefined
    expect((await acquire()).backend).toBe('mock')
  })
})

describe('a backend that ends', () => {
  it('is gone from the list at once and loads again on the next request (REL-5)', async () => {
    const { residency, supervisor, acquire } = await createWorld()
    const lease = await acquire()
    supervisor.backends[0]?.die({ code: null, signal: 'SIGKILL' })
    expect(residency.loaded()).toEqual([])
    const next = await acquire()
    expect(supervisor.backends).toHaveLength(2)
    expect(next.client).not.toBe(lease.client)
    lease.release()
    expect(residency.loaded()).toMatchObject([{ inFlight: 1 }])
  })

  it('is asked for its health after a call could not reach it', async () => {
    const { supervisor, script, acquire } = await createWorld()
    const lease = await acquire()
    const unreachable = new BackendError('unavailable', 'the backend is not reachable', { code: 'backend_unavailable' })
    let checks = 0
    script.onHealth = async () => void checks++
    lease.reportFailure(unreachable)
    await acquire()
    expect([checks, supervisor.backends.length]).toEqual([1, 1])
    await acquire()
    expect(checks).toBe(1)

    script.onHealth = () => Promise.reject(unreachable)
    lease.reportFailure(unreachable)
    await acquire()
    expect(supervisor.backends).toHaveLength(2)
  })

  it('is not taken for gone when it is only slow', async () => {
    const { supervisor, script, acquire } = await createWorld()
    const lease = await acquire()
    lease.reportFailure(new BackendError('unavailable', 'broken off', { code: 'backend_unavailable' }))
    script.onHealth = () => Promise.reject(new BackendError('timeout', 'slow', { code: 'backend_timeout' }))
    await acquire()
    expect(supervisor.backends).toHaveLength(1)
  })
})

describe('reportFailure', () => {
  it.each(['model_not_loaded', 'model_identity_mismatch'])('lets a backend go on %s, once it is idle', async (code) => {
    const { supervisor, acquire } = await createWorld()
    const [failed, other] = [await acquire(), await acquire()]
    failed.reportFailure(new BackendError('precondition_failed', 'x', { code }))
    failed.release()
    await acquire()
    expect(supervisor.backends).toHaveLength(2)
    expect(supervisor.backends[0]?.stops).toEqual([])
    other.release()
    await settle()
    expect(supervisor.backends[0]?.stops).toHaveLength(1)
    expect(supervisor.backends[1]?.stops).toEqual([])
  })

  it('keeps a backend that only refused a request', async () => {
    const { supervisor, acquire } = await createWorld()
    const lease = await acquire()
    lease.reportFailure(new BackendError('invalid_request', 'bad grammar'))
    lease.reportFailure(new Error('a bug of ours'))
    lease.release()
    await acquire()
    expect(supervisor.backends).toHaveLength(1)
  })
})

describe('hasDied', () => {
  it('is true once a process of ours has ended by itself, and waits for the end', async () => {
    const { supervisor, acquire } = await createWorld()
    const lease = await acquire()
    const died = lease.hasDied()
    supervisor.backends[0]?.die({ code: null, signal: 'SIGKILL' })
    expect(await died).toBe(true)
    expect(await lease.hasDied()).toBe(true)
  })

  it('is false for a process that lives, one that this server stops, and one that it attaches to', async () => {
    const { clock, supervisor, acquire } = await createWorld()
    const lease = await acquire()
    const alive = lease.hasDied()
    await clock.advance(1000)
    expect(await alive).toBe(false)
    void supervisor.backends[0]?.stop({ graceMs: 0 })
    expect(await lease.hasDied()).toBe(false)
    const attached = await acquire(createModel({ name: 'far', backend: 'remote' }))
    supervisor.backends.at(-1)?.die()
    expect(await attached.hasDied()).toBe(false)
  })
})

describe('an attached backend', () => {
  const remote = createModel({ backend: 'remote' })

  it('is believed for 30 s, then asked', async () => {
    const { residency, script, clock, supervisor, use } = await createWorld()
    let checks = 0
    script.onHealth = async () => void checks++
    await use(remote)
    expect(residency.loaded()).toMatchObject([{ name: 'm', backend: 'remote', pid: undefined }])
    await clock.advance(30_000)
    await use(remote)
    expect(checks).toBe(0)
    await clock.advance(1)
    await Promise.all([use(remote), use(remote)])
    expect(checks).toBe(1)
    expect(supervisor.backends).toHaveLength(1)
  })

  it('is told to load again after it was gone, and not emptied meanwhile', async () => {
    const { script, clock, supervisor, use } = await createWorld()
    await use(remote)
    await clock.advance(30_001)
    script.onHealth = () => Promise.reject(new BackendError('unavailable', 'x', { code: 'backend_unavailable' }))
    await use(remote)
    expect(supervisor.backends).toHaveLength(2)
    expect(supervisor.backends[0]?.stops).toMatchObject([{ freeMs: 0 }])
    expect(supervisor.backends[1]?.loads).toHaveLength(1)
  })
})

describe('a changed configuration', () => {
  const before = createModel({ contextSize: 512 })
  const after = createModel({ contextSize: 1024 })

  it('loads anew, and the old backend stops when it is idle (REL-16)', async () => {
    const { residency, supervisor, acquire } = await createWorld()
    const old = await acquire(before)
    const next = await acquire(after)
    expect(supervisor.backends.map(({ loads }) => loads[0]?.ContextSize)).toEqual([512, 1024])
    expect(supervisor.backends[0]?.hasExited()).toBe(false)
    expect(residency.loaded()).toHaveLength(1)
    old.release()
    await settle()
    expect(supervisor.backends[0]?.hasExited()).toBe(true)
    next.release()
  })

  it('starts a load only after the idle old backend is gone', async () => {
    const { supervisor, script, use, acquire } = await createWorld()
    await use(before)
    let wasGone: boolean | undefined
    script.onStart = async () => {
      wasGone = supervisor.backends[0]?.hasExited()
    }
    await acquire(after)
    expect(wasGone).toBe(true)
  })

  it('that loads the same is no change', async () => {
    const { supervisor, use } = await createWorld()
    await use(before)
    await use(createModel({ contextSize: 512, description: 'new words' }))
    expect(supervisor.backends).toHaveLength(1)
  })

  it('while the old one loads serves both, one after the other', async () => {
    const { supervisor, script, acquire } = await createWorld()
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const waiting = [acquire(before), acquire(after), acquire(after)]
    gate.resolve()
    const [old, next, nextToo] = await Promise.all(waiting)
    expect(supervisor.backends.map(({ loads }) => loads[0]?.ContextSize)).toEqual([512, 1024])
    expect(old?.client).toBe(supervisor.backends[0]?.client)
    expect(next?.client).toBe(supervisor.backends[1]?.client)
    expect(nextToo?.client).toBe(next?.client)
    expect(supervisor.backends[0]?.stops).toEqual([])
  })
})

describe('forget', () => {
  it('stops models once they are idle and loads them again when they are asked for', async () => {
    const { residency, supervisor, acquire } = await createWorld()
    const lease = await acquire()
    residency.forget(['m', 'unknown'])
    expect(residency.loaded()).toEqual([])
    expect(supervisor.backends[0]?.stops).toEqual([])
    await acquire()
    expect(supervisor.backends).toHaveLength(2)
    lease.release()
    await settle()
    expect(supervisor.backends[0]?.hasExited()).toBe(true)
  })

  it('lets requests that wait for a load have it, and stops it after them', async () => {
    const { residency, supervisor, script, acquire } = await createWorld()
    const gate = createDeferred()
    script.onStart = () => gate.promise
    const waiting = acquire()
    residency.forget(['m'])
    gate.resolve()
    const lease = await waiting
    expect(residency.loaded()).toEqual([])
    lease.release()
    await settle()
    expect(supervisor.backends[0]?.hasExited()).toBe(true)
  })
})

describe('stop', () => {
  it('has no outcome for a model that is not loaded', async () => {
    const { residency } = await createWorld()
    expect(await residency.stop('m')).toBeUndefined()
  })

  it('stops an idle model with Free and patience', async () => {
    const { residency, supervisor, use } = await createWorld()
    await use()
    expect(await residency.stop('m')).toEqual(EXITED)
    expect(residency.loaded()).toEqual([])
    expect(supervisor.backends[0]?.stops).toEqual([{ graceMs: 15_000, freeMs: undefined }])
  })

  // verifies residency:reload:after-stop
  it('waits for running calls; new requests wait for the stop and load again', async () => {
    const { residency, supervisor, acquire } = await createWorld()
    const lease = await acquire()
    const stopping = residency.stop('m')
    const next = acquire()
    await settle()
    expect(supervisor.backends).toHaveLength(1)
    expect(supervisor.backends[0]?.stops).toEqual([])
    lease.release()
    expect(await stopping).toEqual(EXITED)
    expect((await next).client).toBe(supervisor.backends[1]?.client)
  })

  it('gives up after 30 s of running calls, and the model goes on', async () => {
    const { residency, supervisor, clock, acquire } = await createWorld()
    const lease = await acquire()
    const stopping = catchRejection(residency.stop('m'))
    const next = acquire()
    await clock.waitForSleepers(2)
    await clock.advance(30_000)
    expect(await stopping).toMatchObject({
      kind: 'internal',
      code: 'model_busy',
      message: 'model "m" is busy: 1 call runs for longer than 30 s',
    })
    expect((await next).client).toBe(lease.client)
    expect(supervisor.backends).toHaveLength(1)
  })

  it('ends calls that outlast its patience where the operator wants that', async () => {
    const { residency, supervisor, clock, acquire } = await createWorld({ forceBusyStops: true })
    await acquire()
    const stopping = residency.stop('m')
    await clock.waitForSleepers(1)
    await clock.advance(29_999)
    expect(supervisor.backends[0]?.stops).toEqual([])
    await clock.advance(1)
    expect(await stopping).toEqual({ how: 'exited', endedCalls: 1 })
    expect(supervisor.backends[0]?.stops).toEqual([{ graceMs: 15_000, freeMs: 0 }])
  })

  it('does not wait when forced, also while it is waiting already', async () => {
    const { residency, supervisor, acquire } = await createWorld()
    const lease = await acquire()
    const patient = residency.stop('m')
    expect(await residency.stop('m', { force: true })).toEqual({ how: 'exited', endedCalls: 1 })
    expect(supervisor.backends[0]?.stops).toEqual([{ graceMs: 15_000, freeMs: 0 }])
    lease.release()
    expect(await patient).toEqual(EXITED)
    expect(residency.loaded()).toEqual([])
  })

  it('aborts a load, rejects its waiters where it is forced, and starts no cooldown', async () => {
    const { residency, supervisor, script, acquire } = await createWorld()
    script.onLoad = untilAborted
    const waiting = catchRejection(acquire())
    await settle()
    expect(await residency.stop('m', { force: true })).toEqual({ how: 'aborted', endedCalls: 0 })
    expect(await waiting).toMatchObject({ kind: 'unavailable', code: 'model_stopped' })
    expect(supervisor.backends[0]?.hasExited()).toBe(true)
    script.onLoad = async () => ({ success: true, message: '' })
    expect((await acquire()).backend).toBe('mock')
  })

  it.each<readonly [how: string, report: Partial<ExitReport>]>([
    ['exited', { code: 0 }],
    ['exited', { code: null, signal: 'SIGTERM' }],
    ['killed', { code: null, signal: 'SIGKILL' }],
  ])('says how the backend has ended: %s', async (how, report) => {
    const { residency, script, use } = await createWorld()
    await use()
    script.onStop = async () => report
    expect(await residency.stop('m')).toEqual({ how, endedCalls: 0 })
  })

  it('releases a backend at an address', async () => {
    const { residency, use } = await createWorld()
    await use(createModel({ backend: 'remote' }))
    expect(await residency.stop('m')).toEqual({ how: 'released', endedCalls: 0 })
  })

  it('fails for a process that outlives its kill, which takes memory until it ends', async () => {
    const { residency, supervisor, script, use } = await createWorld()
    await use()
    script.onStop = async () => undefined
    expect(await catchRejection(residency.stop('m'))).toMatchObject({ kind: 'internal', code: 'backend_not_ended' })
    expect(residency.loaded()).toEqual([])
    expect(residency.watched()).toMatchObject([{ name: 'm', state: 'leaving' }])
    supervisor.backends[0]?.die()
    await settle()
    expect(residency.watched()).toEqual([])
  })
})

describe('a request that meets an unload', () => {
  // verifies residency:reload:meets-stop
  it('of a load begins another one', async () => {
    const { residency, supervisor, script, acquire } = await createWorld()
    script.onLoad = untilAborted
    const requests = [acquire(), acquire()]
    await settle()
    script.onLoad = async () => ({ success: true, message: '' })
    expect(await residency.stop('m')).toEqual({ how: 'aborted', endedCalls: 0 })
    const leases = await Promise.all(requests)
    expect(supervisor.backends).toHaveLength(2)
    expect(leases.map(({ client }) => client)).toEqual(Array(2).fill(supervisor.backends[1]?.client))
  })

  it('and another one is served by the third load', async () => {
    const { residency, supervisor, script, acquire } = await createWorld()
    const lease = await acquire()
    const first = residency.stop('m')
    const request = acquire()
    await settle()
    // The request waits for the end of the first one, and so does this.
    const second = residency.stop('m')
    await settle()
    lease.release()
    expect(await first).toEqual(EXITED)
    expect(await second).toEqual({ how: 'aborted', endedCalls: 0 })
    expect((await request).client).toBe(supervisor.backends[1]?.client)
    script.onLoad = untilAborted
    await residency.stop('m', { force: true })
    const later = acquire()
    for (let unload = 0; unload < 2; unload += 1) {
      await settle()
      expect(await residency.stop('m')).toEqual({ how: 'aborted', endedCalls: 0 })
    }
    script.onLoad = async () => ({ success: true, message: '' })
    await residency.stop('m')
    expect((await later).client).toBe(supervisor.backends.at(-1)?.client)
  })

  it('waits no longer in all than for one load', async () => {
    const { residency, script, clock, acquire } = await createWorld({ modelLoadWaitMs: 60_000 })
    script.onLoad = untilAborted
    const request = catchRejection(acquire())
    await clock.waitForSleepers(1)
    await clock.advance(40_000)
    await residency.stop('m')
    await clock.waitForSleepers(1)
    await clock.advance(20_000)
    expect(await request).toMatchObject({ code: 'model_loading' })
  })

  it('of a backend that takes its time to end waits for the end: two copies may not fit', async () => {
    const { residency, supervisor, script, use, acquire } = await createWorld()
    await use()
    const ended = createDeferred<Partial<ExitReport>>()
    script.onStop = () => ended.promise
    const stopping = residency.stop('m')
    const request = acquire()
    await settle()
    expect(supervisor.backends).toHaveLength(1)
    ended.resolve({})
    expect(await stopping).toEqual(EXITED)
    expect((await request).client).toBe(supervisor.backends[1]?.client)
  })

  it('leaves an explicit load undone, which says so', async () => {
    const { residency, script } = await createWorld()
    script.onLoad = untilAborted
    const loading = catchRejection(residency.load(createModel(), { signal: new AbortController().signal }))
    await settle()
    await residency.stop('m')
    expect(await loading).toMatchObject({ kind: 'unavailable', code: 'model_unloaded' })
  })
})

describe('close', () => {
  it('stops all models, aborts loads and refuses new requests', async () => {
    const { residency, supervisor, script, acquire } = await createWorld()
    await acquire(createModel({ name: 'a' }))
    script.onLoad = (_request, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const waiting = catchRejection(acquire(createModel({ name: 'b' })))
    await settle()
    await residency.close({ graceMs: 5000 })
    expect(await waiting).toMatchObject({ code: 'shutting_down' })
    expect(supervisor.backends.map((backend) => backend.hasExited())).toEqual([true, true])
    expect(supervisor.backends[0]?.stops).toEqual([{ graceMs: 3500, freeMs: 1000 }])
    expect(await catchRejection(acquire())).toMatchObject({ kind: 'unavailable', code: 'shutting_down' })
    expect(residency.loaded()).toEqual([])
  })
})
