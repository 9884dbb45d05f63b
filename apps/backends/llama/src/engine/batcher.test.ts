import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { createBatcher, planBatch, type Sequence } from './batcher.ts'
import type { NativeContext } from './native.ts'

function job(tokens: number, done = 0, readFrom?: number): Parameters<typeof planBatch>[0][number] {
  const base = { tokens: Array(tokens).fill(0), done }
  return readFrom === undefined ? { ...base, read: undefined } : { ...base, readFrom, read: async () => {} }
}

function counts(jobs: Parameters<typeof planBatch>[0], batchSize: number, biteTokens: number): number[] {
  const shares = planBatch(jobs, { batchSize, biteTokens })
  return jobs.map((wanted) => shares.find((share) => (share.job as unknown) === wanted)?.count ?? 0)
}

describe('a batch', () => {
  it('holds one token of every writing sequence and a bite of a reading one', () => {
    expect(counts([job(1), job(1000), job(1)], 512, 64)).toEqual([1, 64, 1])
  })

  it('shares the bite between reading sequences', () => {
    expect(counts([job(1000), job(1000), job(10)], 512, 60)).toEqual([20, 20, 10])
    expect(counts([job(1000, 995), job(1000)], 512, 64)).toEqual([5, 32])
  })

  it('is never larger than it may be, nor the reading so slow that it crawls', () => {
    expect(counts([job(1), job(1), job(1000)], 8, 64)).toEqual([1, 1, 6])
    expect(
      counts(
        Array.from({ length: 3 }, () => job(100)),
        8,
        8,
      ),
    ).toEqual([4, 4, 0])
    expect(counts([job(1000)], 4, 2)).toEqual([2])
  })

  it('keeps no more scores at once than a few', () => {
    expect(counts([job(500, 0, 0)], 512, 512)).toEqual([32])
    expect(counts([job(500, 0, 490)], 512, 512)).toEqual([500])
    expect(counts([job(500, 480, 490)], 512, 512)).toEqual([20])
  })
})

/** A context that records the content of its batches. */
function createNotingContext(decode: () => Promise<void> = async () => {}): {
  readonly context: NativeContext
  readonly batches: [sequence: number, position: number, tokens: number[]][][]
} {
  const batches: [number, number, number[]][][] = []
  const context: Partial<NativeContext> = {
    initBatch: () => void batches.push([]),
    addToBatch: (sequence, position, tokens, outputs) => {
      batches.at(-1)?.push([sequence, position, [...tokens]])
      return outputs
    },
    decodeBatch: decode,
    disposeSequence: () => {},
  }
  return { context: context as NativeContext, batches }
}

const tokens = (...ids: number[]): Token[] => ids.map((id) => id as Token)
const { signal } = new AbortController()

describe('a batcher', () => {
  it('puts jobs of one moment into one batch, in the order of the sequences', async () => {
    const { context, batches } = createNotingContext()
    const batcher = createBatcher(context, { batchSize: 8, biteTokens: 2 })
    const sequences = [2, 0, 1].map((id): Sequence => ({ id, tokens: [] }))
    const read: number[] = []
    await Promise.all(
      sequences.map((sequence) =>
        batcher.decode({ sequence, tokens: tokens(7), signal, read: async () => void read.push(sequence.id) }),
      ),
    )
    expect(batches).toEqual([
      [
        [0, 0, [7]],
        [1, 0, [7]],
        [2, 0, [7]],
      ],
    ])
    expect(read.sort()).toEqual([0, 1, 2])
    expect(sequences.map((sequence) => sequence.tokens)).toEqual([[7], [7], [7]])
  })

  it('reads in bites after the tokens of a sequence, and does other work between them', async () => {
    const { context, batches } = createNotingContext()
    const batcher = createBatcher(context, { batchSize: 8, biteTokens: 2 })
    const sequence: Sequence = { id: 0, tokens: tokens(1) }
    const decoding = batcher.decode({ sequence, tokens: tokens(2, 3, 4), signal })
    expect(await batcher.between(() => batches.length)).toBe(0)
    await decoding
    expect(batches).toEqual([[[0, 1, [2, 3]]], [[0, 3, [4]]]])
    expect(sequence.tokens).toEqual([1, 2, 3, 4])
  })

  it('keeps the read tokens at an abort, and forgets the ones of a failed batch', async () => {
    const controller = new AbortController()
    const { context } = createNotingContext(async () => controller.abort(new Error('left')))
    const batcher = createBatcher(context, { batchSize: 8, biteTokens: 2 })
    const sequence: Sequence = { id: 0, tokens: [] }
    await expect(batcher.decode({ sequence, tokens: tokens(1, 2, 3), signal: controller.signal })).rejects.toThrow(
      'left',
    )
    await batcher.idle()
    expect(sequence.tokens).toEqual([1, 2])
    const broken = createNotingContext(() => Promise.reject(new Error('no')))
    const failing = createBatcher(broken.context, { batchSize: 8, biteTokens: 2 })
    await expect(failing.decode({ sequence, tokens: tokens(3), signal })).rejects.toMatchObject({ kind: 'internal' })
    expect(sequence.tokens).toEqual([])
  })

  it('rejects only the job whose score reader fails', async () => {
    const { context } = createNotingContext()
    const batcher = createBatcher(context, { batchSize: 8, biteTokens: 2 })
    const ask = (id: number, read: () => Promise<void>): Promise<void> =>
      batcher.decode({ sequence: { id, tokens: [] }, tokens: tokens(1), signal, read })
    const [good, bad] = await Promise.allSettled([
      ask(0, async () => {}),
      ask(1, () => Promise.reject(new Error('unreadable'))),
    ])
    expect(good.status).toBe('fulfilled')
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'unreadable' } })
  })
})
