import { createCaFolder, openAuthority } from '@svc/mitm'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { databasePlaces, silentLogger as logger } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createSealedDocuments } from './sealed-documents.ts'
import { createSharedAuthority } from './shared-authority.ts'

const places = await databasePlaces()
const key = (byte = 1) => new Uint8Array(32).fill(byte)

describe.each(places)('secrets of the front ends on $name', ({ create }) => {
  const database = useDatabase(create)
  const open = (kind: string, { byte = 1, maxRecords = 10 } = {}) =>
    createSealedDocuments<number>({ database: database(), kind, key: () => key(byte), maxRecords, logger })

  it('are changed by several at once, each change counts, and one takes what is there once', async () => {
    const [one, two] = [open('count'), open('count')]
    const add = (records: typeof one) => records.change('n', (value = 0) => value + 1)
    await Promise.all(Array.from({ length: 10 }, (_, index) => add(index % 2 === 0 ? one : two)))
    expect([await one.get('n'), await two.get('n')]).toEqual([10, 10])
    const taken: (number | undefined)[] = []
    const take = (records: typeof one) => {
      let found: number | undefined
      return records
        .change('n', (value) => {
          found = value
          return undefined
        })
        .then(() => taken.push(found))
    }
    await Promise.all([take(one), take(two), take(one)])
    expect(taken.filter((value) => value !== undefined)).toEqual([10])
    expect(await one.get('n')).toBeUndefined()
  })

  it('are read with their own secret alone, and the oldest make room', async () => {
    const records = open('few', { maxRecords: 2 })
    await records.change('a', () => 7)
    const rows = await database().queries.rows((db, { sharedDocuments }) => db.select().from(sharedDocuments))
    expect(JSON.stringify(rows)).not.toContain('"a"')
    expect(await open('few', { byte: 2 }).get('a')).toBeUndefined()
    for (const id of ['b', 'c', 'd']) await records.change(id, () => 1)
    const left = await Promise.all(['a', 'b', 'c', 'd'].map((id) => records.get(id)))
    expect(left.filter((value) => value !== undefined)).toHaveLength(2)
    expect(left[3]).toBe(1)
  })

  it('include one authority of the intercepting proxy, whichever is first', async () => {
    await using dir = await tempDir()
    const folders = ['one', 'two'].map((name) => createCaFolder(dir.join(name)))
    const stores = folders.map((local) =>
      createSharedAuthority({ database: database(), local, key: () => key(), logger }),
    )
    const opened = await Promise.all(stores.map((store) => openAuthority({ store })))
    expect(opened[0]?.fingerprint).toBe(opened[1]?.fingerprint)
    await Promise.all(stores.map((store) => store.read()))
    const kept = await Promise.all(folders.map((folder) => folder.read()))
    expect(kept.map((pair) => pair?.certificate)).toEqual([opened[0]?.certificate, opened[0]?.certificate])
    const own = createCaFolder(dir.join('three'))
    await openAuthority({ store: own })
    const third = createSharedAuthority({ database: database(), local: own, key: () => key(), logger })
    expect((await openAuthority({ store: third })).fingerprint).toBe(opened[0]?.fingerprint)
    // After another secret the copies of the front ends give it again.
    const [local = own] = folders
    const rotated = createSharedAuthority({ database: database(), local, key: () => key(2), logger })
    expect((await openAuthority({ store: rotated })).fingerprint).toBe(opened[0]?.fingerprint)
  })
})
