import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createBatcher } from './batcher.ts'

const timing = { clock: createFakeClock(), laterMs: 250 }

describe('work', () => {
  it('that comes at once is done at once; what comes meanwhile goes with the next batch', async () => {
    const batches: string[] = []
    const [begun, gate] = [createDeferred(), createDeferred()]
    const batcher = createBatcher<string, string>({
      ...timing,
      maxBatch: 2,
      maxWaiting: 10,
      async perform(batch) {
        batches.push(batch.join(''))
        begun.resolve()
        await gate.promise
        return batch.map((work) => work.toUpperCase())
      },
    })
    const first = [batcher.run('a'), batcher.run('b')]
    await begun.promise
    const later = [batcher.run('c'), batcher.run('d'), batcher.run('e')]
    gate.resolve()
    expect(await Promise.all([...first, ...later])).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(batches).toEqual(['ab', 'cd', 'e'])
    await batcher.settled()
  })

  it('fails together, and the next batch goes on', async () => {
    let isBroken = true
    const batcher = createBatcher<number, number>({
      ...timing,
      maxBatch: 10,
      maxWaiting: 10,
      async perform(batch) {
        if (isBroken) throw new Error('broken')
        return batch
      },
    })
    const outcomes = await Promise.allSettled([batcher.run(1), batcher.run(2)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isBroken = false
    expect(await batcher.run(3)).toBe(3)
  })

  it('is refused when too much waits', async () => {
    const gate = createDeferred()
    const batcher = createBatcher<number, number>({
      ...timing,
      maxBatch: 1,
      maxWaiting: 2,
      async perform(batch) {
        await gate.promise
        return batch
      },
    })
    const running = [batcher.run(1), batcher.run(2)]
    await expect(batcher.run(3)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 1000 })
    gate.resolve()
    expect(await Promise.all(running)).toEqual([1, 2])
  })

  it('that can wait goes with the next batch, or alone after a moment, or when all is to be settled', async () => {
    const clock = createFakeClock()
    const batches: string[] = []
    const batcher = createBatcher<string, string>({
      maxBatch: 10,
      maxWaiting: 3,
      clock,
      laterMs: 250,
      async perform(batch) {
        batches.push(batch.join(''))
        return batch
      },
    })
    const first = batcher.runLater('a')
    expect(await Promise.all([batcher.run('b'), first])).toEqual(['b', 'a'])
    expect(batches).toEqual(['ba'])
    const second = [batcher.runLater('c'), batcher.runLater('d')]
    await clock.advance(250)
    expect(await Promise.all(second)).toEqual(['c', 'd'])
    const third = [batcher.runLater('e'), batcher.runLater('f'), batcher.runLater('g')]
    await expect(batcher.runLater('h')).rejects.toMatchObject({ kind: 'unavailable' })
    await batcher.settled()
    expect(batches).toEqual(['ba', 'cd', 'efg'])
    await Promise.all(third)
  })
})
