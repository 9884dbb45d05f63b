import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { systemClock } from '../clock.ts'
import { createLazyVectorStores } from '../platform/lazy/lazy-vector-stores.ts'
import { openStores } from './__fixtures__/open-stores.ts'
import { nameJournal, removeJournals } from './journal-files.ts'
import { FRAME_BYTES, MAGIC } from './journal-records.ts'
import type { StoreName } from './store-name.ts'
import { findStoresFolder, type VectorStores } from './vector-stores.ts'

const { signal } = new AbortController()
const toStore = (name: string): StoreName => ({ owner: 'callers', name })

const set = (stores: VectorStores, name: string, value = 'text', key: readonly number[] = [1, 0]) =>
  stores.set(toStore(name), [{ key, value: Buffer.from(value) }], { signal })

async function read(stores: VectorStores, name: string): Promise<string[]> {
  const found = await stores.find(toStore(name), [1, 0], { count: 100, signal })
  return found.map(({ value }) => Buffer.from(value).toString())
}

let dir: TempDir
let folder: string
beforeEach(async () => {
  dir = await tempDir()
  folder = join(dir.path, 'stores')
})
afterEach(() => dir.close())

const path = (name: string) => join(folder, nameJournal(toStore(name)))
const listFiles = async () => (await readdir(folder)).sort()

describe('stores that cannot be kept', () => {
  it('refuse changes until they can be kept, and give what they have', async () => {
    let now = 0
    const clock = { ...systemClock, monotonic: () => now }
    const stores = await openStores(folder, { isKept: false, clock })
    await set(stores, 'one')
    await set(stores, 'two')
    await writeFile(folder, 'in the way')
    const failed = { code: 'file_failed' }
    await expect(stores.keep(true)).rejects.toMatchObject(failed)
    await expect(set(stores, 'one', 'new')).rejects.toMatchObject(failed)
    await expect(stores.delete(toStore('one'), [[1, 0]], { signal })).rejects.toMatchObject(failed)
    expect([await read(stores, 'one'), stores.figures.stores]).toEqual([['text'], 2])
    await rm(folder)
    // the failure holds for a second
    await expect(set(stores, 'one', 'new')).rejects.toMatchObject(failed)
    now = 1000
    await set(stores, 'one', 'new')
    const reopened = await openStores(folder)
    expect([await read(reopened, 'one'), await read(reopened, 'two')]).toEqual([['new'], ['text']])
  })

  it('are kept by a second attempt where the first one wrote only some of them', async () => {
    const stores = await openStores(folder, { isKept: false })
    for (const name of ['one', 'two', 'three']) await set(stores, name)
    await mkdir(path('two'), { recursive: true })
    await expect(stores.keep(true)).rejects.toMatchObject({ code: 'file_failed' })
    await rename(path('two'), join(folder, 'moved'))
    await stores.keep(true)
    await set(stores, 'two', 'more', [2, 0])
    const reopened = await openStores(folder)
    expect(reopened.figures.stores).toBe(3)
    expect(await read(reopened, 'two')).toEqual(['text', 'more'])
  })

  it('take changes again when they are no longer to be kept', async () => {
    const stores = await openStores(folder, { isKept: false })
    await writeFile(folder, 'in the way')
    await expect(stores.keep(true)).rejects.toThrow()
    await expect(set(stores, 'one')).rejects.toThrow()
    await stores.keep(false).catch(() => undefined)
    await set(stores, 'one')
    expect(await read(stores, 'one')).toEqual(['text'])
  })

  it('write and remove nothing once the lock of the folder is lost', async () => {
    let isLost = false
    const stores = await openStores(folder, {
      checkAccess() {
        if (isLost) throw new SvcError('unavailable', 'taken away', { code: 'data_folder_gone' })
      },
    })
    await set(stores, 'one')
    const before = await readFile(path('one'))
    isLost = true
    const gone = { code: 'data_folder_gone' }
    await expect(set(stores, 'one', 'new')).rejects.toMatchObject(gone)
    await expect(set(stores, 'two')).rejects.toMatchObject(gone)
    await expect(stores.delete(toStore('one'), [[1, 0]], { signal })).rejects.toMatchObject(gone)
    await expect(stores.keep(false)).rejects.toMatchObject(gone)
    await expect(stores.keep(true)).rejects.toMatchObject(gone)
    expect(await readFile(path('one'))).toEqual(before)
    expect([await listFiles(), await read(stores, 'one')]).toEqual([[nameJournal(toStore('one'))], ['text']])
  })
})

describe('a file that is written as a whole', () => {
  it('has records of a bounded size, whatever the size of the values', async () => {
    const stores = await openStores(folder, { isKept: false })
    const large = 'x'.repeat(700_000)
    for (let index = 1; index <= 5; index++) await set(stores, 'one', large, [index, 0])
    await stores.keep(true)
    const bytes = await readFile(path('one'))
    const lengths: number[] = []
    for (let at = MAGIC.length; at < bytes.length; at += FRAME_BYTES + (lengths.at(-1) ?? 0)) {
      lengths.push(bytes.readUInt32LE(at))
    }
    expect(lengths).toHaveLength(4)
    expect(Math.max(...lengths)).toBeLessThan(2 * 1024 * 1024)
    expect(await read(await openStores(folder), 'one')).toEqual(Array.from({ length: 5 }, () => large))
  })
})

describe('stores that are kept no longer', () => {
  it('lose their files before the first request too', async () => {
    const config = { dataPath: dir.path }
    folder = findStoresFolder(config)
    await set(await openStores(folder), 'one')
    let isKept = true
    const lazy = createLazyVectorStores({
      config,
      // The one setting that is read.
      settings: { get: () => isKept as never },
      checkAccess: () => undefined,
      clock: systemClock,
      logger: silentLogger,
    })
    isKept = false
    await lazy.follow(false)
    expect(await listFiles()).toEqual([])
    expect((await lazy.open()).figures.stores).toBe(0)
    await lazy.close()
  })

  it('lose all files that can be removed', async () => {
    const stores = await openStores(folder)
    for (const name of ['one', 'two', 'three']) await set(stores, name)
    const [, second = ''] = await listFiles()
    const removing = removeJournals(folder, async (file) => {
      if (file === join(folder, second)) throw Object.assign(new Error('busy'), { code: 'EBUSY' })
      await unlink(file)
    })
    await expect(removing).rejects.toMatchObject({ code: 'file_failed' })
    expect(await listFiles()).toEqual([second])
  })

  it('do not come back from files that could not be removed', async () => {
    const stores = await openStores(folder)
    for (const name of ['one', 'two']) await set(stores, name)
    await rename(folder, `${folder}-moved`)
    await writeFile(folder, 'in the way')
    await expect(stores.keep(false)).rejects.toMatchObject({ code: 'file_failed' })
    await stores.delete(toStore('one'), [[1, 0]], { signal })
    await rm(folder)
    await rename(`${folder}-moved`, folder)
    await stores.keep(true)
    expect([await read(stores, 'one'), await read(stores, 'two')]).toEqual([[], ['text']])
    expect((await openStores(folder)).figures.stores).toBe(1)
  })

  it('leave files that are not journals', async () => {
    const stores = await openStores(folder)
    await set(stores, 'one')
    await writeFile(join(folder, 'notes.txt'), 'mine')
    await writeFile(path('other'), 'mine')
    await stores.keep(false)
    expect(await listFiles()).toEqual([nameJournal(toStore('other')), 'notes.txt'].sort())
  })
})

describe('a damaged journal', () => {
  const listCopies = async () => (await listFiles()).filter((name) => name.includes('.damaged-'))

  it('is copied before its store is written anew, where its head is damaged', async () => {
    await set(await openStores(folder), 'one', 'old')
    const bytes = await readFile(path('one'))
    bytes[3] = 0
    await writeFile(path('one'), bytes)
    const stores = await openStores(folder)
    expect([await read(stores, 'one'), await listCopies()]).toEqual([[], []])
    await set(stores, 'one', 'new')
    const [copy = ''] = await listCopies()
    expect(await readFile(join(folder, copy))).toEqual(bytes)
    await set(stores, 'one', 'newer')
    expect([await read(await openStores(folder), 'one'), await listCopies()]).toEqual([['newer'], [copy]])
  })

  it('is copied before it is cut, where the length of a record reaches beyond its end', async () => {
    const stores = await openStores(folder)
    await set(stores, 'one', 'first')
    const at = (await stat(path('one'))).size
    await set(stores, 'one', 'second', [2, 0])
    await set(stores, 'one', 'third', [3, 0])
    const whole = await readFile(path('one'))
    for (const [place, value] of [
      [at + 2, 0xff],
      [at, 0],
      [at + 4, (whole[at + 4] ?? 0) ^ 1],
    ] as const) {
      const bytes = Buffer.from(whole)
      bytes[place] = value
      await rm(folder, { recursive: true })
      await mkdir(folder)
      await writeFile(path('one'), bytes)
      expect(await read(await openStores(folder), 'one')).toEqual(['first'])
      const [copy = ''] = await listCopies()
      expect(await readFile(join(folder, copy))).toEqual(bytes)
    }
  })

  it('needs no copy where a kill or a power cut has ended the last write', async () => {
    const stores = await openStores(folder)
    await set(stores, 'one', 'first')
    const at = (await stat(path('one'))).size
    await stores.set(
      toStore('one'),
      ['second', 'third'].map((text, index) => ({ key: [index + 2, 0], value: Buffer.from(text) })),
      { signal },
    )
    await stores.delete(toStore('one'), [[3, 0]], { signal })
    const whole = await readFile(path('one'))
    const tails = [whole.subarray(0, at + 3), whole.subarray(0, at + 30), whole.subarray(0, whole.length - 2)]
    for (const bytes of [...tails, Buffer.concat([whole.subarray(0, at), Buffer.alloc(70_000)])]) {
      await writeFile(path('one'), bytes)
      expect((await read(await openStores(folder), 'one'))[0]).toBe('first')
      expect(await listCopies()).toEqual([])
    }
  })
})
