import { describe, expect, it } from 'vitest'
import { planBatch } from './batcher.ts'

function job(tokens: number, done = 0, readFrom?: number): Parameters<typeof planBatch>[0][number] {
  const base = { tokens: Array(tokens).fill(0), done }
  return readFrom === undefined ? { ...base, read: undefined } : { ...base, readFrom, read: async () => {} }
}

function counts(jobs: Parameters<typeof planBatch>[0], batchSize: number, biteTokens: number): number[] {
  const shares = planBatch(jobs, { batchSize, biteTokens })
  return jobs.map((wanted) => shares.find((share) => (share.job as unknown) === wanted)?.count ?? 0)
}

describe('a batch', () => {
  it('holds one token of everybody who writes and a bite of who reads', () => {
    expect(counts([job(1), job(1000), job(1)], 512, 64)).toEqual([1, 64, 1])
  })

  it('shares the bite between those who read', () => {
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
