import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import type { Queries } from '../db/queries.ts'
import { createLoadedStores } from './loaded-stores.ts'
import { writeVector } from './vector-text.ts'

const { signal } = new AbortController()
const DIMENSIONS = 100

describe('createLoadedStores', () => {
  it('loads no more stores at a time than the memory has room for', async () => {
    const dir = await tempDir()
    const database = await openDatabase({
      dataPath: dir.path,
      appVersion: '1.0.0',
      logger: silentLogger,
      clock: systemClock,
    })
    const { queries } = database
    try {
      const add = async (id: string) => {
        const facts = { metadata: '{}', model: 'm', dimensions: DIMENSIONS, createdAt: 0, lastActiveAt: 0, revision: 1 }
        const store = { id, owner: 'ada', name: id, description: null, expiresDays: null, ...facts }
        const sizes = { chunkSize: 100, chunkOverlap: 0, chunkCount: 4, usageBytes: 0 }
        const state = { status: 'completed', errorCode: null, errorMessage: null, attributes: '{}', createdAt: 0 }
        const run = `run-${id}`
        const file = { storeId: id, id: 'file', filename: 'f', owner: 'ada', server: 'one', batchId: '', run }
        await queries.change((db, { documentFiles }) =>
          db.insert(documentFiles).values({ ...file, ...sizes, ...state }),
        )
        const chunks = Array.from({ length: 4 }, (_, number) => {
          const vector = writeVector(new Float32Array(DIMENSIONS).fill(number + 1))
          return { storeId: id, fileId: 'file', run, number, text: 'x', start: 0, end: 1, vector }
        })
        await queries.change((db, { documentChunks }) => db.insert(documentChunks).values(chunks))
        return store
      }
      const [one, two] = [await add('one'), await add('two')]
      let calls = 0
      let goOn: () => void = () => undefined
      const gate = new Promise<void>((resolve) => {
        goOn = resolve
      })
      const slow: Queries = {
        ...queries,
        async rows(build) {
          calls += 1
          if (calls === 3) await gate
          return queries.rows(build)
        },
      }
      const loaded = createLoadedStores(slow, 2000)
      const first = loaded.open(one, { signal })
      await expect.poll(() => calls).toBe(3)
      const second = loaded.open(two, { signal })
      await expect.poll(() => calls).toBe(4)
      await new Promise((resolve) => setTimeout(resolve, 50))
      // Only its chunks are counted.
      expect(calls).toBe(4)
      goOn()
      expect([(await first).index.size, (await second).index.size]).toEqual([4, 4])
      expect(loaded.bytes).toBeLessThan(2000)
    } finally {
      await database.close()
      await dir.close()
    }
  })
})
