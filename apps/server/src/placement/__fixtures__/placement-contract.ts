import type { MockScript } from '@svc/backend-mock/script'
import { SvcError } from '@svc/errors'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ModelLease } from '../../residency/residency.ts'
import type { Placement } from '../placement.ts'
import { countLoads, createPlacedModel } from './mock-place.ts'

/** A placement under test. Its backends are processes of the mock. */
export interface PlacementWorld extends AsyncDisposable {
  readonly placement: Placement
  /** The folder of the place. */
  readonly folder: string
  readonly place: string
  /** Loaded models with their running calls. */
  running(): Promise<readonly { readonly pid?: number | undefined; readonly inFlight: number }[]>
}

/** The contract of every placement. */
export function placementContract(open: () => Promise<PlacementWorld>): void {
  const createModel = ({ folder }: PlacementWorld, script?: MockScript): ModelConfig => createPlacedModel(folder, script)
  const place = async (
    { placement }: PlacementWorld,
    model: ModelConfig,
    signal = new AbortController().signal,
  ): Promise<ModelLease> => placement.place(model, { signal })
  const ask = async ({ client }: ModelLease): Promise<string> =>
    Buffer.from((await client.predict({ Prompt: 'x', ModelIdentity: 'm' })).message).toString()
  const expectCalls = (world: PlacementWorld, calls: readonly number[]): Promise<void> =>
    eventually(async () => expect((await world.running()).map(({ inFlight }) => inFlight)).toEqual(calls))
  const hello: MockScript = { rules: [{ rpc: 'Predict', do: { text: 'hello' } }] }

  it('gives a lease that can be called, with its place', async () => {
    await using world = await open()
    const lease = await place(world, createModel(world, hello))
    expect([lease.backend, lease.place, await ask(lease)]).toEqual(['mock', world.place, 'hello'])
    lease.release()
  })

  it('shares a load, counts the leases, and takes each back once', async () => {
    await using world = await open()
    const model = createModel(world)
    const leases = await Promise.all(Array.from({ length: 10 }, () => place(world, model)))
    expect(countLoads(world.folder)).toBe(1)
    await expectCalls(world, [10])
    for (const lease of leases.slice(0, 4)) {
      lease.release()
      lease.release()
    }
    await expectCalls(world, [6])
    for (const lease of leases.slice(4)) lease.release()
    await expectCalls(world, [0])
  })

  it('loads a model ahead, without a lease', async () => {
    await using world = await open()
    const model = createModel(world)
    await world.placement.load(model, { signal: new AbortController().signal })
    await expectCalls(world, [0])
    const lease = await place(world, model)
    expect(countLoads(world.folder)).toBe(1)
    lease.release()
  })

  it.each(['place', 'load'] as const)('%s fails with the error of the load', async (how) => {
    await using world = await open()
    const broken = createModel(world, { rules: [{ rpc: 'LoadModel', do: { refuse: 'weights are torn' } }] })
    const signal = new AbortController().signal
    const asked = how === 'place' ? place(world, broken) : world.placement.load(broken, { signal })
    await expect(asked).rejects.toMatchObject({ kind: 'internal', code: 'model_load_failed' })
    expect(await world.running()).toEqual([])
  })

  describe('a request that leaves', () => {
    it('ends its wait, and the load goes on for others', async () => {
      await using world = await open()
      const model = createModel(world)
      const left = new AbortController()
      const leaving = place(world, model, left.signal)
      left.abort(new SvcError('cancelled', 'the client is gone', { code: 'client_gone' }))
      await expect(leaving).rejects.toMatchObject({ kind: 'cancelled', code: 'client_gone' })
      const lease = await place(world, model)
      expect(countLoads(world.folder)).toBe(1)
      await expectCalls(world, [1])
      lease.release()
      await expectCalls(world, [0])
    })

    it('at any time leaves no lease behind', async () => {
      await using world = await open()
      const model = createModel(world)
      const ends = Array.from({ length: 20 }, async (_, turns) => {
        const left = new AbortController()
        const leaving = place(world, model, left.signal)
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        left.abort()
        await leaving.then(
          (lease) => lease.release(),
          () => undefined,
        )
      })
      await Promise.all(ends)
      const lease = await place(world, model)
      await expectCalls(world, [1])
      lease.release()
    })
  })

  it('loads again once a lease reports that the backend has lost its model', async () => {
    await using world = await open()
    const model = createModel(world)
    const lease = await place(world, model)
    lease.reportFailure(new SvcError('precondition_failed', 'gone', { code: 'model_not_loaded' }))
    lease.release()
    const next = await place(world, model)
    expect(countLoads(world.folder)).toBe(2)
    next.release()
  })

  it('tells that a backend has died, and starts another one', async () => {
    await using world = await open()
    const model = createModel(world, hello)
    const lease = await place(world, model)
    const [running] = await world.running()
    process.kill(running?.pid ?? Number.NaN, 'SIGKILL')
    await expect(ask(lease)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await lease.hasDied()).toBe(true)
    lease.release()
    const next = await place(world, model)
    expect(await ask(next)).toBe('hello')
    next.release()
  })
}
