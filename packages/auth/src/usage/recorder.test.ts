import { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createMemoryStores } from '../memory/index.ts'
import type { UsageRecord, UsageStore } from '../ports/usage.ts'
import { createUsageRecorder } from './recorder.ts'

const call = { signal: new AbortController().signal }

const record = (id: string, changes: Partial<UsageRecord> = {}): UsageRecord => ({
  id,
  userId: 'ada',
  userName: 'Ada',
  source: 'web',
  model: 'm',
  endpoint: '/',
  durationMs: 1,
  promptTokens: 1,
  completionTokens: 2,
  totalTokens: 3,
  createdAt: 1_700_000_000_000,
  ...changes,
})

const count = async (store: UsageStore): Promise<number> =>
  (await store.group({ bucket: 'month', byModel: false }, { ...call, limit: 100 })).reduce(
    (sum, { requests }) => sum + requests,
    0,
  )

/** A store that is away for as long as a test likes. */
function createAwayStore() {
  const { usage } = createMemoryStores()
  const state = { isAway: true, calls: 0 }
  const store: UsageStore = {
    ...usage,
    async append(records, options) {
      state.calls += 1
      if (state.isAway) throw new SvcError('unavailable', 'away')
      return usage.append(records, options)
    },
  }
  return { state, store, usage }
}

describe('records', () => {
  it('are stored when a flush has ended', async () => {
    const { usage } = createMemoryStores()
    const recorder = createUsageRecorder({ store: usage })
    for (let index = 0; index < 1200; index += 1) recorder.record(record(`r${index}`))
    await recorder.flush(call)
    expect([await count(usage), recorder.waiting]).toEqual([1200, 0])
  })

  it('that come while a batch runs go with the next one', async () => {
    const { usage } = createMemoryStores()
    const gate = createDeferred()
    const batches: number[] = []
    const store: UsageStore = {
      ...usage,
      async append(records, options) {
        batches.push(records.length)
        if (batches.length === 1) await gate.promise
        return usage.append(records, options)
      },
    }
    const recorder = createUsageRecorder({ store })
    for (const id of ['a', 'b', 'c']) recorder.record(record(id))
    gate.resolve()
    await recorder.flush(call)
    expect(batches).toEqual([1, 2])
    expect(await count(usage)).toBe(3)
  })

  it('REL-8: wait while the store is away, once in the log, and none is lost or doubled', async () => {
    const { state, store, usage } = createAwayStore()
    const warnings: string[] = []
    const logger = { debug() {}, info() {}, error() {}, warn: (_: unknown, message: string) => warnings.push(message) }
    const kept: string[] = []
    const journal = {
      keep: (records: readonly UsageRecord[]) => void kept.push(...records.map(({ id }) => id)),
      clear: () => void kept.push('clear'),
    }
    const recorder = createUsageRecorder({ store, logger, journal })
    for (const id of ['a', 'b', 'c']) recorder.record(record(id))
    await expect(recorder.flush(call)).rejects.toMatchObject({ kind: 'unavailable' })
    recorder.record(record('d'))
    await expect(recorder.flush(call)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(recorder.waiting).toBe(4)
    state.isAway = false
    recorder.record(record('e'))
    await recorder.flush(call)
    expect([await count(usage), recorder.waiting, recorder.dropped]).toEqual([5, 0, 0])
    expect(warnings).toEqual(['usage cannot be stored, it waits'])
    expect(kept).toEqual(['a', 'b', 'c', 'd', 'e', 'clear'])
  })

  it('wait a moment for others, unless a flush asks for them', async () => {
    const { usage } = createMemoryStores()
    const clock = createFakeClock()
    const batches: number[] = []
    const store: UsageStore = {
      ...usage,
      append(records, options) {
        batches.push(records.length)
        return usage.append(records, options)
      },
    }
    const recorder = createUsageRecorder({ store, clock, gatherMs: 250 })
    recorder.record(record('a'))
    recorder.record(record('b'))
    await clock.advance(249)
    expect(batches).toEqual([])
    await clock.advance(1)
    expect(batches).toEqual([2])
    recorder.record(record('c'))
    await recorder.flush(call)
    expect(batches).toEqual([2, 1])
    recorder.record(record('d'))
    await recorder.close(call)
    expect(await count(usage)).toBe(4)
  })

  it('REL-8: are stored by themselves once the store is back', async () => {
    const { state, store, usage } = createAwayStore()
    const clock = createFakeClock()
    const recorder = createUsageRecorder({ store, clock })
    recorder.record(record('a'))
    await clock.advance(10_000)
    expect(state.calls).toBeGreaterThan(3)
    state.isAway = false
    await clock.advance(2000)
    expect([await count(usage), recorder.waiting, clock.sleepers]).toEqual([1, 0, 0])
  })

  it('that wait for a store that hangs keep nobody who asks', async () => {
    const { usage } = createMemoryStores()
    const gate = createDeferred()
    const store: UsageStore = { ...usage, append: () => gate.promise }
    const recorder = createUsageRecorder({ store })
    recorder.record(record('a'))
    const asking = new AbortController()
    const flushed = recorder.flush({ signal: asking.signal })
    asking.abort(new Error('the client left'))
    await expect(flushed).rejects.toThrow('the client left')
    gate.resolve()
    await recorder.close(call)
  })

  it('REL-7: are bounded: the oldest are dropped and counted', async () => {
    const { state, store, usage } = createAwayStore()
    const recorder = createUsageRecorder({ store, maxWaiting: 3 })
    for (const id of ['a', 'b', 'c', 'd', 'e']) recorder.record(record(id))
    expect([recorder.waiting, recorder.dropped]).toEqual([3, 2])
    state.isAway = false
    await recorder.flush(call)
    expect(await count(usage)).toBe(3)
  })

  it('DB-2: hold texts and numbers that every database can store', async () => {
    const { usage } = createMemoryStores()
    const recorder = createUsageRecorder({ store: usage })
    recorder.record(
      record('a', {
        model: `a\0\ud800${'x'.repeat(1_000_000)}`,
        promptTokens: -5,
        completionTokens: Number.NaN,
        totalTokens: 1e300,
        seconds: 1.23456,
        characters: Number.POSITIVE_INFINITY,
        images: -1,
      }),
    )
    await recorder.flush(call)
    const [group] = await usage.group({ bucket: 'day', byModel: true }, { ...call, limit: 5 })
    expect(group?.model).toHaveLength(200)
    expect(group?.model.startsWith('a\ufffd\ufffdx')).toBe(true)
    expect(group).toMatchObject({ promptTokens: 0, completionTokens: 0, totalTokens: 1_000_000_000 })
    expect(group).toMatchObject({ seconds: 1.235, characters: 1_000_000_000, images: 0 })
  })
})
