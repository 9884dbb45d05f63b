import { describe, expect, it } from 'vitest'
import type { Queries } from '../db/queries.ts'
import type { DocumentStore } from './document-store.ts'
import { createLoadedStore, findChunks, syncStore } from './loaded-store.ts'
import { writeVector } from './vector-text.ts'

const { signal } = new AbortController()
const STORE: DocumentStore = {
  id: 'vs_1',
  owner: 'ada',
  name: '',
  description: null,
  metadata: '{}',
  model: 'm',
  dimensions: 2,
  createdAt: 0,
  lastActiveAt: 0,
  expiresDays: null,
  revision: 1,
}
const toFile = (run: string) => ({ id: `file-${run}`, run, filename: run, attributes: '{}', chunkCount: 1 })

describe('syncStore', () => {
  it('hides no file that stays from the searches that go on meanwhile', async () => {
    const replies: object[][] = [
      [toFile('a'), toFile('b')],
      [{ number: 0, vector: writeVector(Float32Array.of(1, 0)) }],
      [{ number: 0, vector: writeVector(Float32Array.of(0, 1)) }],
      [toFile('c'), toFile('a')],
      [{ number: 0, vector: writeVector(Float32Array.of(1, 1)) }],
    ]
    const loaded = createLoadedStore()
    const search = async () => {
      const found = await findChunks(loaded, Float32Array.of(1, 0), { filter: () => true, count: 9, signal })
      return found.map(({ file }) => file.run)
    }
    const seen: string[][] = []
    const queries = {
      async rows() {
        seen.push(await search())
        return replies.shift() ?? []
      },
    } as unknown as Queries
    expect(await syncStore(loaded, STORE, queries, signal)).toBe(loaded)
    expect(await search()).toEqual(['a', 'b'])
    seen.length = 0
    await syncStore(loaded, { ...STORE, revision: 2 }, queries, signal)
    expect(seen).toEqual([['a', 'b'], ['a']])
    expect(await search()).toEqual(['a', 'c'])
  })
})
