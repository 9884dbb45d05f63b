import { createFakeClock, eventually } from '@svc/test-kit'
import { expect, it, vi } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { createLoadCooldown } from '../../residency/cooldown.ts'
import { notBegun } from '../contract/load-object.ts'
import type { LoadJob } from '../loads/load-jobs.ts'
import { createFailedModels } from './failed-models.ts'
import { createLoadWaits } from './load-waits.ts'

const { signal } = new AbortController()
const model = createModel()

function job(key: string, fields: Partial<LoadJob> = {}): LoadJob {
  return { ...notBegun('m'), key, replicaIndex: 0, configRevision: 'r1', owner: 'x', startedAt: 0, ...fields }
}

function open(jobs: readonly LoadJob[], { pulled = model }: { pulled?: ModelConfig | undefined } = {}) {
  const state: { isServed: boolean; looks: number; model: ModelConfig | undefined } = {
    isServed: false,
    looks: 0,
    model,
  }
  const clock = createFakeClock()
  const start = vi.fn(async () => true)
  const waits = createLoadWaits({
    jobs: {
      list: async () => {
        state.looks += 1
        return jobs
      },
    },
    runner: { start },
    revisionOf: (each) => (each.raw.revision === undefined ? 'r1' : String(each.raw.revision)),
    findModel: () => state.model,
    async followModels() {
      state.model = pulled
    },
    findState: async () => (state.isServed ? 'served' : 'none'),
    checkPlace: async () => {},
    failures: createFailedModels(createLoadCooldown({ firstMs: 1000, clock }), () => 'r1'),
    bus: { subscribe: () => () => {} },
    clock,
  })
  const join = async (): Promise<void> => {
    const joined = waits.join(model, { signal, waitMs: 0 })
    await eventually(() => expect(state.looks).toBeGreaterThan(0))
    state.isServed = true
    let isDone = false
    void joined.then(() => {
      isDone = true
    })
    await eventually(async () => {
      await clock.advance(2000)
      expect(isDone).toBe(true)
    })
    await joined
  }
  return { join, start, waits }
}

it('begin a load when none runs and no failure is told, and take over their own', async () => {
  for (const jobs of [
    [],
    [job('m#0', { state: 'failed', error: 'torn', toldForMs: 0 })],
    [job('m#0')],
    [job('m#0'), job('m@a#0')],
  ]) {
    const { join, start } = open(jobs)
    await join()
    expect(start).toHaveBeenCalledWith(expect.objectContaining({ key: 'm#0', configRevision: 'r1' }))
  }
})

it('let a load of the reconciler run without a second one', async () => {
  const { join, start } = open([job('m@a#0', { state: 'loading' })])
  await join()
  expect(start).not.toHaveBeenCalled()
})

it('tell a failure to those who come later as a cooldown', async () => {
  const { waits } = open([job('m#0', { state: 'failed', error: 'torn', toldForMs: 4000 })])
  await expect(waits.join(model, { signal, waitMs: 0 })).rejects.toMatchObject({
    code: 'model_load_cooldown',
    kind: 'unavailable',
    retryAfterMs: 4000,
  })
})

it.each([
  ['has another configuration', createModel({ raw: { revision: 'r2' } })],
  ['has its name from another one', createModel({ name: 'other' })],
  ['is disabled', createModel({ disabled: true })],
])('load no model that %s at another front end', async (_, pulled) => {
  const { waits, start } = open([], { pulled })
  await expect(waits.join(model, { signal, waitMs: 0 })).rejects.toMatchObject({ code: 'model_changed' })
  expect(start).not.toHaveBeenCalled()
})
