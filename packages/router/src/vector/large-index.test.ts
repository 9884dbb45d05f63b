import { describe, expect, it } from 'vitest'
import type { KernelKind } from './kernel.ts'
import { createVectorIndex, type MemoryVectorIndex } from './vector-index.ts'

const { signal } = new AbortController()
const KERNELS: readonly KernelKind[] = ['wasm', 'plain']
const DIMENSION = 64
const value = new Uint8Array(1)

/** A vector whose direction follows from its number. */
const toKey = (number: number, scale = 1): Float32Array =>
  Float32Array.from({ length: DIMENSION }, (_, column) => Math.sin(number + column) * scale)

async function fill(index: MemoryVectorIndex, count: number, scale = 1): Promise<void> {
  for (let first = 0; first < count; first += 10_000) {
    const length = Math.min(10_000, count - first)
    const entries = Array.from({ length }, (_, place) => ({ key: toKey(first + place, scale), value }))
    await index.set(entries, { signal })
  }
}

/** Counts the turns that other work gets. */
async function countTurns<T>(work: Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0
  let timer: NodeJS.Immediate
  const count = (): void => {
    turns += 1
    timer = setImmediate(count)
  }
  timer = setImmediate(count)
  try {
    return { result: await work, turns }
  } finally {
    clearImmediate(timer)
  }
}

describe.each(KERNELS)('a large index with the %s kernel', (kernel) => {
  it('gives its memory back when most entries are gone, and keeps the rest', async () => {
    const index = createVectorIndex({ kernel })
    await fill(index, 20_000)
    const full = index.allocatedBytes
    expect(full).toBeGreaterThanOrEqual(20_000 * DIMENSION * 4)
    const gone = Array.from({ length: 19_990 }, (_, number) => toKey(number))
    expect(await index.delete(gone.slice(0, 10_000), { signal })).toBe(10_000)
    expect(index.allocatedBytes).toBe(full)
    expect(await index.delete(gone.slice(10_000), { signal })).toBe(9_990)
    expect(index.allocatedBytes).toBeLessThan(full / 10)
    expect([index.size, index.bytes]).toEqual([10, 10 * (DIMENSION * 4 + 1)])
    expect([...index.entries()].map(({ key }) => key)).toEqual(
      Array.from({ length: 10 }, (_, place) => toKey(19_990 + place)),
    )
    expect(await index.get([toKey(19_995), toKey(5)], { signal })).toHaveLength(1)
    await index.set([{ key: toKey(1), value }], { signal })
    expect((await index.find(toKey(1), { count: 1, signal }))[0]?.key).toEqual(toKey(1))
    expect(await index.delete([toKey(19_990), toKey(1)], { signal })).toBe(2)
    expect(index.size).toBe(9)
  })

  it.each([
    ['a query of zeros', 1, new Float32Array(DIMENSION)],
    ['vectors beyond the range of 32-bit sums', 1e38, toKey(5)],
  ])('gives other work turns for %s', async (_, scale, query) => {
    const index = createVectorIndex({ kernel })
    await fill(index, 40_000, scale)
    const { result, turns } = await countTurns(index.find(query, { count: 3, signal }))
    expect(turns).toBeGreaterThan(2)
    const expected = query[1] === 0 ? [0, 1, 2].map((number) => toKey(number)) : undefined
    if (expected !== undefined) expect(result.map(({ key }) => key)).toEqual(expected)
    else expect(result[0]?.similarity).toBeCloseTo(1, 6)
    expect(result).toHaveLength(3)
  })

  it('compares vectors of ordinary and of very large norms without a pause', async () => {
    for (const scale of [1, 1e20, 1e35, 1e-25]) {
      const index = createVectorIndex({ kernel })
      await fill(index, 40_000, scale)
      const { result, turns } = await countTurns(index.find(toKey(7), { count: 1, signal }))
      expect(result[0]?.key).toEqual(toKey(7, scale))
      expect(turns).toBeLessThan(2)
    }
  })

  it('finds what is there when it changes during a search', async () => {
    const index = createVectorIndex({ kernel })
    await fill(index, 40_000)
    const zeros = new Float32Array(DIMENSION)
    const finding = index.find(zeros, { count: 2, signal })
    const changing = index.delete([toKey(0), toKey(1)], { signal })
    expect((await finding).map(({ key }) => key)).toEqual([toKey(2), toKey(3)])
    expect(await changing).toBe(2)
    // one that never stops changing is searched in one go in the end
    let isOver = false
    const keep = async (): Promise<void> => {
      for (let number = 0; !isOver; number++) {
        await index.set([{ key: toKey(100_000 + (number % 50)), value: Uint8Array.of(number & 0xff) }], { signal })
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const changes = keep()
    expect(await index.find(zeros, { count: 2, signal })).toHaveLength(2)
    isOver = true
    await changes
  })

  it('ends a search that gives turns when its caller leaves', async () => {
    const index = createVectorIndex({ kernel })
    await fill(index, 40_000)
    const leaving = new AbortController()
    const finding = index.find(new Float32Array(DIMENSION), { count: 2, signal: leaving.signal })
    leaving.abort(new Error('left'))
    await expect(finding).rejects.toThrow('left')
  })
})
