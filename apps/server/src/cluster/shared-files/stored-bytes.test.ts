import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../clock.ts'
import { databasePlaces, silentLogger as logger } from '../../db/__fixtures__/places.ts'
import { createTemporaryPath } from '../../files/temporary-files.ts'
import { createGeneratedFiles } from '../../generated-files/generated-files.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { useStorage } from '../object-storage/__fixtures__/use-storage.ts'
import { createDatabaseBytes } from './database-bytes.ts'
import { removeLostObjects } from './lost-objects.ts'
import { createStoredBytes, toBytesKey } from './stored-bytes.ts'

const places = await databasePlaces()
const { s3, open: openStorage } = await useStorage()
const dir = await tempDir('svc-bytes-')
afterAll(() => dir.close())

const signal = new AbortController().signal
const ADA = { id: 'ada', isAdmin: false }
const [SMALL, LARGE] = [100, 3000]
const objects = openStorage()
// Users do not wait as long here.
const hasty = {
  put: ((key, source, options) => objects.put(key, source, { ...options, budgetMs: 1 })) satisfies typeof objects.put,
  get: ((key, target, options) => objects.get(key, target, { ...options, budgetMs: 1 })) satisfies typeof objects.get,
  remove: ((key, options) => objects.remove(key, { ...options, budgetMs: 1 })) satisfies typeof objects.remove,
}

describe.each(places)('bytes of files with an object storage on $name', ({ name: engine, create }) => {
  const database = useDatabase(create)
  const instanceId = `id-${engine}`
  const open = (name: string) => {
    const inDatabase = createDatabaseBytes(database(), { clock, maxBytes: 2000 })
    const parts = { database: inDatabase, objects: hasty, instanceId, signal, logger }
    const bytes = createStoredBytes({ ...parts, leastBytes: 500 })
    const folder = dir.join(engine, name)
    const shared = { database: database(), bytes, clock, logger }
    return createGeneratedFiles({ ...shared, folder, keepMs: 0, maxTotalBytes: 0, ownsFolder: true })
  }
  const keep = async (files: ReturnType<typeof open>, size: number) => {
    const content = randomBytes(size)
    const path = dir.join(`${content.toString('hex', 0, 8)}.png`)
    await writeFile(path, content)
    const address = await files.keep(path, { kind: 'images', owner: 'ada', mediaType: 'image/png' })
    return { content, address, name: address.slice('generated-images/'.length) }
  }
  const listObjects = async () => {
    const keys: string[] = []
    for await (const part of objects.list(toBytesKey(instanceId, ''), { signal })) keys.push(...part)
    return keys
  }

  it('are at every front end, large ones in the bucket, until one removes them', async () => {
    const [one, two] = [open('one'), open('two')]
    for (const size of [SMALL, LARGE]) {
      const { content, address, name } = await keep(one, size)
      expect(await listObjects()).toHaveLength(size === LARGE ? 1 : 0)
      const found = await two.find('images', name, ADA)
      expect((await readFile(found?.path ?? '')).equals(content)).toBe(true)
      expect(await two.find('images', name, { id: 'bob', isAdmin: false })).toBeUndefined()
      await two.discard(address)
      expect(await listObjects()).toEqual([])
    }
    one.close()
    two.close()
  })

  it('are fetched once for all who read them at the same time', async () => {
    let fetched = 0
    const get: typeof objects.get = async (key, target, options) => {
      fetched += 1
      return objects.get(key, target, options)
    }
    const inDatabase = createDatabaseBytes(database(), { clock })
    const parts = { database: inDatabase, objects: { ...objects, get }, instanceId, signal, logger, leastBytes: 500 }
    const bytes = createStoredBytes(parts)
    await writeFile(dir.join('read'), randomBytes(LARGE))
    await bytes.put('read', dir.join('read'))
    const to = { path: dir.join(engine, 'read', 'copy'), sizeBytes: LARGE }
    await mkdir(dirname(to.path), { recursive: true })
    const left = createTemporaryPath(to.path)
    await writeFile(left, 'left by a killed server')
    await utimes(left, 0, 0)
    expect(await Promise.all(Array.from({ length: 20 }, () => bytes.fetch('read', to)))).not.toContain(false)
    expect(fetched).toBe(1)
    expect((await readFile(to.path)).equals(await readFile(dir.join('read')))).toBe(true)
    expect(await readdir(dirname(to.path))).toEqual(['copy'])
    await bytes.remove(['read'])
  })

  it('go into the database while the storage is away, as far as it takes them', async () => {
    const [one, two, three] = [open('three'), open('four'), open('five')]
    const before = await keep(one, LARGE)
    await s3.halt()
    const { content, name } = await keep(one, 1500)
    await expect(keep(one, LARGE)).rejects.toMatchObject({ code: 'storage_away' })
    await expect(two.find('images', before.name, ADA)).rejects.toMatchObject({ code: 'storage_away' })
    expect((await readFile((await two.find('images', name, ADA))?.path ?? '')).equals(content)).toBe(true)
    await s3.resume()
    expect((await readFile((await three.find('images', name, ADA))?.path ?? '')).equals(content)).toBe(true)

    // An object without a row goes at the next start; those of others stay.
    const source = { path: dir.join('lost'), sizeBytes: 1, sha256: 'a'.repeat(64) }
    await writeFile(source.path, 'x')
    await objects.put(toBytesKey(instanceId, 'generated/images/lost.png'), source, { signal })
    await objects.put(toBytesKey('another', 'generated/images/lost.png'), source, { signal })
    await removeLostObjects({ database: database(), objects, instanceId, signal })
    expect(await listObjects()).toEqual([toBytesKey(instanceId, `generated/images/${before.name}`)])
    expect(await objects.find(toBytesKey('another', 'generated/images/lost.png'), { signal })).toBeDefined()
    for (const files of [one, two, three]) files.close()
  })
})
