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
  it('keeps equal chunks without copying those before', async () => {
    const vector = writeVector(Float32Array.of(1, 0))
    const chunks = Array.from({ length: 400 }, (_, number) => ({ number, vector }))
    const replies: object[][] = [
      [
        { ...toFile('a'), chunkCount: 400 },
        { ...toFile('b'), chunkCount: 400 },
      ],
      chunks,
      chunks,
    ]
    const queries = { rows: async () => replies.shift() ?? [] } as unknown as Queries
    const loaded = await syncStore(createLoadedStore(), STORE, queries, signal)
    const [entry] = await loaded.index.get([Float32Array.of(1, 0)], { signal })
    expect(entry?.value).toHaveLength(8)
    const search = async (run: string, count: number) => {
      for (const file of loaded.files) file.isThere = file.run === run
      const found = await findChunks(loaded, Float32Array.of(1, 0), { filter: () => true, count, signal })
      return found.map(({ file, number }) => `${file.run} ${number}`)
    }
    for (const run of ['a', 'b']) {
      expect(await search(run, 1000)).toEqual(chunks.map(({ number }) => `${run} ${number}`))
      expect(await search(run, 3)).toEqual([`${run} 0`, `${run} 1`, `${run} 2`])
    }
    expect(await search('none', 9)).toEqual([])
  })

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
