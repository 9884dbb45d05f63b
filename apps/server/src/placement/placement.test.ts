import { createDeferred, eventually, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { GenerationRequest } from '../inference/core/request.ts'
import type { ModelLease } from '../residency/residency.ts'
import { createPlacedModel, openMockPlace } from './__fixtures__/mock-place.ts'
import { placementContract } from './__fixtures__/placement-contract.ts'
import { type PlacementProcess, startPlacementProcess } from './__fixtures__/remote-placement.ts'
import { createLocalPlacement, createPlacement, type PlaceResidency } from './placement.ts'

describe('the placement of one machine', () => {
  placementContract(async () => {
    const dir = await tempDir('svc-t-')
    const { residency, close } = await openMockPlace(dir.path)
    return {
      placement: createLocalPlacement(residency),
      folder: dir.path,
      place: 'local',
      running: async () => residency.loaded(),
      async [Symbol.asyncDispose]() {
        await close()
        await dir.close()
      },
    }
  })
})

describe('the placement over two processes', () => {
  let other: PlacementProcess
  beforeAll(async () => {
    other = await startPlacementProcess()
  })
  afterAll(() => other[Symbol.asyncDispose]())
  placementContract(async () => {
    const dir = await tempDir('svc-t-')
    const { placement, running, endPlace, cut } = await other.open(dir.path)
    return {
      placement,
      running,
      folder: dir.path,
      place: 'elsewhere',
      async [Symbol.asyncDispose]() {
        await endPlace()
        cut()
        await dir.close()
      },
    }
  })

  it('takes back the leases of a process that is gone, and ends the waits for one', async () => {
    await using dir = await tempDir('svc-t-')
    const [one, two] = [await other.open(dir.path), await other.open(dir.path)]
    const model = createPlacedModel(dir.path)
    const signal = new AbortController().signal
    await one.placement.place(model, { signal })
    await two.placement.place(model, { signal })
    const running = async () => (await two.running()).map(({ inFlight }) => inFlight)
    expect(await running()).toEqual([2])
    one.cut()
    await eventually(async () => expect(await running()).toEqual([1]))
    const waiting = two.placement.place({ ...model, name: 'other' }, { signal })
    two.cut()
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable', code: 'place_gone' })
    const three = await other.open(dir.path)
    await eventually(async () => expect((await three.running()).map(({ inFlight }) => inFlight)).toEqual([0, 0]))
    await three.endPlace()
    three.cut()
  })
})

describe('several places', () => {
  const ask = (prompt: string): GenerationRequest => ({ kind: 'completion', prompt }) as unknown as GenerationRequest

  function createPlace(place: string): PlaceResidency & { readonly asked: string[] } {
    const asked: string[] = []
    return {
      place,
      asked,
      acquire: async ({ name }) => {
        asked.push(name)
        return { place } as ModelLease
      },
      load: async ({ name }) => void asked.push(`load ${name}`),
    }
  }

  it('are chosen by the request, the header and what they have worked on', async () => {
    const places = ['a', 'b'].map(createPlace)
    const known = new Map<string, string>()
    const placement = createPlacement({
      places,
      choose(_, { places: all, context }) {
        const request: unknown = context.request
        const beginning = String((request as { prompt?: string } | undefined)?.prompt).slice(0, 4)
        const name = context.header?.('x-place') ?? known.get(beginning) ?? (known.size % 2 === 0 ? 'a' : 'b')
        known.set(beginning, name)
        return all.find(({ place }) => place === name) ?? expect.unreachable()
      },
    })
    const place = async (prompt: string, header?: string): Promise<string> => {
      const { signal } = new AbortController()
      return (await placement.place(createModel(), { signal, header: () => header, request: ask(prompt) })).place
    }
    expect([await place('sys1 hi'), await place('sys2 hi'), await place('sys1 again')]).toEqual(['a', 'b', 'a'])
    expect(await place('sys1 hi', 'b')).toBe('b')
  })

  it('may be waited for, and a request that leaves meanwhile loads nothing', async () => {
    const place = createPlace('a')
    const free = createDeferred<void>()
    const placement = createPlacement({
      places: [place],
      async choose(_, { context: { signal } }) {
        await Promise.race([free.promise, new Promise((__, reject) => signal.addEventListener('abort', reject))])
        signal.throwIfAborted()
        return place
      },
    })
    const left = new AbortController()
    const leaving = placement.place(createModel(), { signal: left.signal })
    const staying = placement.place(createModel(), { signal: new AbortController().signal })
    const loading = placement.load(createModel({ name: 'n' }), new AbortController())
    left.abort()
    await expect(leaving).rejects.toBeDefined()
    expect(place.asked).toEqual([])
    free.resolve()
    expect((await staying).place).toBe('a')
    await loading
    expect(place.asked).toEqual(['m', 'load n'])
  })
})
