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

  it('that waits has one alarm at a time, and one that rings too early is set again', async () => {
    const clock = createFakeClock()
    const batches: string[] = []
    let gate = createDeferred()
    const batcher = createBatcher<string, string>({
      maxBatch: 10,
      maxWaiting: 9,
      clock,
      laterMs: 250,
      async perform(batch) {
        batches.push(batch.join(''))
        await gate.promise
        return batch
      },
    })
    const first = [batcher.runLater('a'), batcher.runLater('b')]
    expect(clock.sleepers).toBe(1)
    gate.resolve()
    // The batch goes with other work: the alarm finds nothing left.
    await Promise.all([...first, batcher.run('c')])
    await clock.advance(250)
    expect([batches, clock.sleepers]).toEqual([['cab'], 0])
    // The alarm of the second piece rings while a batch runs.
    gate = createDeferred()
    const running = batcher.run('d')
    await Promise.resolve()
    await Promise.resolve()
    const late = batcher.runLater('e')
    await clock.advance(250)
    expect([batches, clock.sleepers]).toEqual([['cab', 'd'], 0])
    gate.resolve()
    await running
    await clock.waitForSleepers(1)
    await clock.advance(250)
    expect(await late).toBe('e')
    await batcher.settled()
    expect([batches, clock.sleepers]).toEqual([['cab', 'd', 'e'], 0])
  })

  it('that gets too few results fails alone', async () => {
    const batcher = createBatcher<number, number>({
      ...timing,
      maxBatch: 9,
      maxWaiting: 9,
      perform: async (batch) => batch.slice(0, -1),
    })
    const outcomes = await Promise.allSettled([batcher.run(1), batcher.run(2)])
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: expect.objectContaining({ kind: 'internal' }) },
    ])
  })
})
