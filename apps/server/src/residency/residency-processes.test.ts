/** Residency on real backend processes. */
import { writeFile } from 'node:fs/promises'
import { type MockScript, mockOptions, readRecords, writeMockLauncher } from '@svc/backend-mock/script'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { createBackendCatalog } from '../backends/catalog.ts'
import { createProcessRecord } from '../backends/process-record.ts'
import { readProcessStat } from '../backends/process-table.ts'
import { createSupervisor } from '../backends/supervisor.ts'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { systemClock } from '../clock.ts'
import { createLoadCooldown } from './cooldown.ts'
import { createResidency } from './residency.ts'

const signal = new AbortController().signal

async function createWorld({ startScript }: { readonly startScript?: MockScript } = {}) {
  const dir = await tempDir('svc-t-')
  const { path } = writeMockLauncher({ folder: dir.path, script: startScript })
  const record = createProcessRecord({ file: dir.join('backends.json'), writeFile, logger: silentLogger })
  const supervisor = createSupervisor({
    environment: { PATH: process.env.PATH },
    modelsPath: dir.path,
    socketParent: dir.path,
    record,
    clock: systemClock,
    logger: silentLogger,
  })
  const cooldownClock = createFakeClock()
  const residency = createResidency({
    catalog: await createBackendCatalog({ folders: [], builtIn: {}, external: { mock: path }, logger: silentLogger }),
    supervisor,
    toLoadRequest: (model) => ({ Model: model.name, Options: [...model.options] }),
    cooldown: createLoadCooldown({ firstMs: 10_000, clock: cooldownClock }),
    modelLoadWaitMs: 60_000,
    clock: systemClock,
    logger: silentLogger,
  })
  /** A model of the mock that runs a script and records its calls. */
  const createMockModel = (script: MockScript, changes: Partial<ModelConfig> = {}): ModelConfig =>
    createModel({ options: mockOptions({ record: dir.join('calls'), ...script }), ...changes })
  const close = async () => {
    await residency.close({ graceMs: 5000 })
    await supervisor.close({ graceMs: 5000 })
    await dir.close()
  }
  const calls = () => readRecords(dir.join('calls')).filter(({ event }) => event === 'start')
  return { dir, residency, supervisor, cooldownClock, createMockModel, calls, [Symbol.asyncDispose]: close }
}

async function catchRejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

async function collectText(stream: AsyncIterable<{ readonly message: Uint8Array }>): Promise<string> {
  let text = ''
  for await (const reply of stream) text += Buffer.from(reply.message).toString()
  return text
}

describe('residency over processes', () => {
  it('turns 100 parallel first requests into one process and one load (REL-6)', async () => {
    await using world = await createWorld()
    const model = world.createMockModel({ rules: [{ rpc: 'Predict', do: { text: 'hello' } }] })
    const acquire = () => world.residency.acquire(model, { signal: new AbortController().signal })
    const leases = await Promise.all(Array.from({ length: 100 }, () => acquire()))
    const replies = await Promise.all(leases.map((lease) => lease.client.predict({ Prompt: 'x', ModelIdentity: 'm' })))
    expect(new Set(replies.map(({ message }) => Buffer.from(message).toString()))).toEqual(new Set(['hello']))
    expect(world.calls().filter(({ rpc }) => rpc === 'LoadModel')).toHaveLength(1)
    expect(new Set(world.calls().map(({ pid }) => pid)).size).toBe(1)
    for (const lease of leases) lease.release()
    expect(world.residency.loaded()).toMatchObject([{ name: 'm', backend: 'mock', inFlight: 0 }])
  })

  it('brings a killed backend back for the next request, again and again (REL-5)', async () => {
    await using world = await createWorld()
    const model = world.createMockModel({ rules: [{ rpc: 'PredictStream', do: { pieces: ['a', 'b'], hang: 1 } }] })
    const pids = new Set<number>()
    for (let round = 0; round < 4; round++) {
      const lease = await world.residency.acquire(model, { signal })
      const pid = world.residency.loaded()[0]?.pid ?? 0
      pids.add(pid)
      const stream = lease.client.predictStream({ Prompt: 'x', ModelIdentity: 'm' })
      await stream.next()
      process.kill(pid, 'SIGKILL')
      const error = await catchRejection(collectText(stream))
      expect(error).toMatchObject({ kind: 'unavailable' })
      lease.reportFailure(error)
      lease.release()
    }
    expect(pids.size).toBe(4)
    expect(world.cooldownClock.monotonic()).toBe(0)
    for (const pid of [...pids].slice(0, 3)) expect(readProcessStat(pid)?.state ?? 'Z').toBe('Z')
  })

  it('leaves other models alone when one backend dies', async () => {
    await using world = await createWorld()
    const stable = await world.residency.acquire(world.createMockModel({}, { name: 'stable' }), { signal })
    const doomed = await world.residency.acquire(world.createMockModel({}, { name: 'doomed' }), { signal })
    const pid = world.residency.loaded().find(({ name }) => name === 'doomed')?.pid ?? 0
    process.kill(pid, 'SIGKILL')
    const error = await catchRejection(doomed.client.predict({ Prompt: 'x' }, { timeoutMs: 5000 }))
    expect(error).toMatchObject({ kind: 'unavailable' })
    expect((await stable.client.predict({ Prompt: 'x', ModelIdentity: 'stable' })).message).toBeInstanceOf(Uint8Array)
  })

  it('gives the first request the real error of a crash loop and refuses the rest (REL-6)', async () => {
    const crash = { how: 'exit', code: 7, stderr: 'CUDA error: no device in /dev/nvidia0' } as const
    await using world = await createWorld({ startScript: { rules: [{ rpc: 'LoadModel', do: { crash } }] } })
    const attempt = () => catchRejection(world.residency.acquire(createModel(), { signal }))
    const message = 'could not load model "m": backend process exited with code 7: CUDA error: no device in nvidia0'
    expect(await attempt()).toMatchObject({ kind: 'internal', code: 'model_load_failed', message })
    expect(await attempt()).toMatchObject({ kind: 'unavailable', code: 'model_load_cooldown', retryAfterMs: 10_000 })
    await world.cooldownClock.advance(10_000)
    expect(await attempt()).toMatchObject({ code: 'model_load_failed' })
    expect(await attempt()).toMatchObject({ code: 'model_load_cooldown', retryAfterMs: 20_000 })
    expect(world.residency.loaded()).toEqual([])
  })

  it('loads once more after a backend lost its model', async () => {
    await using world = await createWorld()
    const failure = { status: 'FAILED_PRECONDITION', message: 'model not loaded' } as const
    const model = world.createMockModel({ rules: [{ rpc: 'Predict', call: 2, do: { failure } }] })
    for (const expected of ['ok', 'model_not_loaded', 'ok']) {
      const lease = await world.residency.acquire(model, { signal })
      const outcome = await lease.client.predict({ Prompt: 'x', ModelIdentity: 'm' }).then(
        () => 'ok',
        (error: { code: string }) => {
          lease.reportFailure(error)
          return error.code
        },
      )
      lease.release()
      expect(outcome).toBe(expected)
    }
    expect(world.calls().filter(({ rpc }) => rpc === 'LoadModel')).toHaveLength(2)
  })

  it('keeps model names that look like commands away from every shell (PROC-1)', async () => {
    await using world = await createWorld()
    const name = `$(touch ${world.dir.join('owned')}); -rf "\n`
    const lease = await world.residency.acquire(world.createMockModel({}, { name }), { signal })
    expect((await lease.client.predict({ Prompt: 'x', ModelIdentity: name })).message).toBeInstanceOf(Uint8Array)
    expect(world.supervisor.logs.lines(name)).not.toEqual([])
    lease.release()
    expect(await world.residency.stop(name)).toEqual({ how: 'exited', endedCalls: 0 })
  })
})
