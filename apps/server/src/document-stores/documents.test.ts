import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createLocalPrincipal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { createDeferred, eventually, type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { createDatabaseBytes } from '../cluster/shared-files/database-bytes.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import type { DatabaseQueries, Queries } from '../db/queries.ts'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import { FOLDER_MARK } from '../stored-files/folder-mark.ts'
import type { StoredFile } from '../stored-files/stored-file.ts'
import { adoptFiles } from './adopt-files.ts'
import type { DocumentStore } from './document-store.ts'
import { openDocuments } from './documents.ts'
import type { TextEmbedder } from './embed-texts.ts'
import { removeFilesInParts, removeFromStore } from './removal.ts'

const places = await databasePlaces()
const { signal } = new AbortController()
const ADA = { id: 'ada', isAdmin: false }
const BOB = { id: 'bob', isAdmin: false }
const DAY = 86_400_000

const WORDS = ['river', 'bread', 'star', 'boat', 'stone', 'song', 'frost', 'honey']

/** Counts words of a list, so that a text is near to a query of the same words. */
const toVector = (text: string): Float32Array =>
  Float32Array.from([0.01, ...WORDS.map((word) => text.split(word).length - 1)])

const caller: InnerCaller = {
  principal: createLocalPrincipal('ada'),
  requestId: 'r',
  log: silentLogger,
  useModel: () => undefined,
}

async function openWorld(
  create: (typeof places)[number]['create'],
  {
    maxOwnerBytes = 0,
    maxOwnerFiles,
    server = 'one',
    filesOf,
    sharesBytes = false,
  }: {
    readonly maxOwnerBytes?: number
    readonly maxOwnerFiles?: number
    readonly server?: string
    readonly filesOf?: { readonly dir: TempDir }
    readonly sharesBytes?: boolean
  } = {},
) {
  const place = await create()
  const dir = await tempDir('svc-documents-')
  let offset = 0
  let sleep = async (): Promise<void> => undefined
  const clock = { ...systemClock, now: () => systemClock.now() + offset, sleep: () => sleep() }
  const database = await openDatabase({
    ...place.options,
    appVersion: '1.0.0',
    logger: silentLogger,
    clock: systemClock,
  })
  const asked: string[][] = []
  let embed: TextEmbedder['embed'] = async (texts) => {
    asked.push([...texts])
    return texts.map(toVector)
  }
  const open = (id = server) =>
    openDocuments({
      folder: (filesOf?.dir ?? dir).join(`files-${id}`),
      server: id,
      queries: database.queries,
      maxOwnerBytes,
      maxOwnerFiles,
      bytes: sharesBytes ? createDatabaseBytes(database, { clock }) : undefined,
      embedder: { embed: (...call) => embed(...call) },
      findCaller: async (owner) => (owner === 'gone' ? undefined : caller),
      clock,
      logger: silentLogger,
    })
  let documents = await open()
  let count = 0
  const world = {
    asked,
    database,
    queries: database.queries,
    get documents() {
      return documents
    },
    open,
    move(ms: number) {
      offset += ms
    },
    embedBy(other: TextEmbedder['embed']) {
      embed = other
    },
    sleepBy(other: () => Promise<void>) {
      sleep = other
    },
    list: async () => {
      const names = await readdir(dir.join(`files-${server}`)).catch(() => [])
      return names.filter((name) => name !== FOLDER_MARK)
    },
    dir,
    async restart() {
      await documents.close()
      documents = await open()
    },
    async upload(text: string, filename = 'note.txt', owner = 'ada', expiresAfterMs?: number): Promise<StoredFile> {
      count += 1
      const path = dir.join(`draft-${count}`)
      await writeFile(path, text)
      const sizeBytes = Buffer.byteLength(text)
      return documents.uploads.keep(path, { owner, filename, purpose: 'assistants', sizeBytes, expiresAfterMs })
    },
    store: (fields: object = {}): Promise<DocumentStore> =>
      documents.stores.create({
        owner: 'ada',
        name: 'notes',
        description: null,
        metadata: '{}',
        model: 'm',
        expiresDays: null,
        ...fields,
      }),
    async add(store: DocumentStore, file: StoredFile, fields: object = {}) {
      const addition = { file, attributes: {}, chunkSize: 100, chunkOverlap: 10, ...fields }
      await documents.files.add(store.id, [addition], 'ada')
      documents.indexer.wake()
    },
    state: async (store: DocumentStore, file: StoredFile) => (await documents.files.get(store.id, file.id)).status,
    async done(store: DocumentStore, file: StoredFile, status = 'completed') {
      await eventually(async () => expect(await world.state(store, file)).toBe(status))
    },
    async find(store: DocumentStore, query: string, search: object = {}) {
      const fresh = await documents.stores.get(store.id, ADA)
      return documents.search([fresh], { queries: [query], count: 50, ...search }, { caller, signal })
    },
    async countChunks() {
      const rows = await database.queries.rows((db, { documentChunks }) => db.select().from(documentChunks))
      return rows.length
    },
    async countFiles() {
      const rows = await database.queries.rows((db, { documentFiles }) => db.select().from(documentFiles))
      return rows.length
    },
    async [Symbol.asyncDispose]() {
      await documents.close()
      await database.close()
      await place.close()
      await dir.close()
    },
  }
  return world
}

describe.each(places)('documents on $name', ({ create }) => {
  it('are kept for their owner, listed in pages, and go with their time', async () => {
    await using world = await openWorld(create, { maxOwnerBytes: 30 })
    const { uploads } = world.documents
    const first = await world.upload('0123456789')
    await world.upload('x', 'other', 'bob')
    await expect(world.upload('x'.repeat(21))).rejects.toMatchObject({ kind: 'insufficient_storage' })
    expect(await world.list()).toHaveLength(2)
    expect(await uploads.find(first.id, ADA)).toEqual(first)
    expect(await uploads.find(first.id, BOB)).toBeUndefined()
    expect(await uploads.find(first.id, { id: 'root', isAdmin: true })).toEqual(first)
    for (const odd of ['', '..', `${first.id}\0`, first.id.toUpperCase(), 'x'.repeat(9999), "' OR 1=1 --"])
      expect(await uploads.find(odd, ADA), odd).toBeUndefined()
    const short = await world.upload('y', 'short', 'ada', 1000)
    world.move(2000)
    expect(await uploads.find(short.id, ADA)).toBeUndefined()
    expect((await uploads.list({ limit: 9, order: 'asc' }, ADA)).items).toEqual([first])
    await world.documents.trim()
    expect(await world.list()).toHaveLength(2)
    await uploads.remove([first])
    expect(await world.list()).toHaveLength(1)
  })

  it('are at most so many of one owner', async () => {
    await using world = await openWorld(create, { maxOwnerFiles: 2 })
    const first = await world.upload('a')
    await world.upload('b')
    await expect(world.upload('c')).rejects.toMatchObject({ kind: 'insufficient_storage', code: 'files_full' })
    await world.upload('c', 'note', 'bob')
    expect(await world.list()).toHaveLength(3)
    await world.documents.uploads.remove([first])
    await world.upload('c')
  })

  it('have stable pages while items come and go', async () => {
    await using world = await openWorld(create)
    const { uploads } = world.documents
    const ids: string[] = []
    for (let index = 0; index < 9; index += 1) ids.push((await world.upload('x')).id)
    const walk = async (order: 'asc' | 'desc') => {
      const seen: string[] = []
      for (let after: string | undefined; ; ) {
        const { items, hasMore } = await uploads.list({ limit: 2, order, after }, ADA)
        seen.push(...items.map(({ id }) => id))
        if (!hasMore) return seen
        after = items.at(-1)?.id
      }
    }
    const rising = await walk('asc')
    expect([...rising].sort()).toEqual([...ids].sort())
    expect(await walk('desc')).toEqual([...rising].reverse())
    // A cursor keeps its place when its file is gone, as for a client that deletes what it lists.
    const gone = await uploads.find(rising[4] ?? '', ADA)
    if (gone !== undefined) await uploads.remove([gone])
    const later = await uploads.list({ limit: 2, order: 'asc', after: gone?.id }, ADA)
    expect(later.items.map(({ id }) => id)).toEqual([rising[5], rising[6]])
    rising.splice(4, 1)
    const back = await uploads.list({ limit: 3, order: 'desc', before: rising[1] }, ADA)
    expect(back.items.map(({ id }) => id)).toEqual([rising[4], rising[3], rising[2]])
    expect(back.hasMore).toBe(true)
    const between = await uploads.list({ limit: 9, order: 'asc', after: rising[2], before: rising[5] }, ADA)
    expect(between.items.map(({ id }) => id)).toEqual([rising[3], rising[4]])
    for (const cursor of [{ after: 'none' }, { before: `${ids[0]}0` }])
      await expect(uploads.list({ limit: 2, order: 'asc', ...cursor }, ADA)).rejects.toMatchObject({
        kind: 'invalid_request',
      })
  })

  it('are cut, embedded and found, each chunk once', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    const river = await world.upload('The river is long. '.repeat(60), 'river.md')
    const bread = await world.upload('Eat bread. Eat bread.', 'bread.txt')
    await world.add(store, river, { attributes: { kind: 'water' } })
    await world.add(store, bread)
    await world.done(store, river)
    await world.done(store, bread)
    const found = await world.find(store, 'river')
    expect(found[0]).toMatchObject({ storeId: store.id, fileId: river.id, attributes: { kind: 'water' } })
    const own = found.filter(({ fileId }) => fileId === river.id)
    expect(new Set(own.map(({ chunk }) => chunk)).size).toBe(own.length)
    expect(own.length).toBe((await world.documents.files.get(store.id, river.id)).chunkCount)
    expect(await world.find(store, 'bread', { count: 1 })).toMatchObject([
      { text: 'Eat bread. Eat bread.', score: expect.closeTo(1, 3) as number },
    ])
    expect(
      await world.find(store, 'river', { filter: ({ kind }: { kind?: unknown }) => kind === undefined }),
    ).toMatchObject([{ filename: 'bread.txt' }])
    expect(await world.find(store, 'river', { threshold: 0.5 })).toHaveLength(own.length)
  })

  it('are found as the database is, after each change', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    const names = async (query = WORDS.join(' ')) =>
      (await world.find(store, query)).map(({ filename }) => filename).sort()
    const files: StoredFile[] = []
    for (const word of WORDS) {
      const file = await world.upload(`${word} `.repeat(3), `${word}.txt`)
      await world.add(store, file)
      await world.done(store, file)
      files.push(file)
      expect(await names()).toEqual(files.map(({ filename }) => filename).sort())
    }
    // Another server on the same database, whose index is its own.
    const other = await world.open('two')
    try {
      const search = async () => {
        const fresh = await other.stores.get(store.id, ADA)
        return (await other.search([fresh], { queries: ['river'], count: 50 }, { caller, signal })).length
      }
      expect(await search()).toBe(8)
      for (const file of files.slice(0, 7)) await world.documents.uploads.remove([file])
      expect([await search(), await names(), await world.countChunks()]).toEqual([1, ['honey.txt'], 1])
      const [last] = files.slice(7)
      if (last === undefined) throw new Error('no file')
      await expect(other.uploads.locate(last)).rejects.toMatchObject({ code: 'file_elsewhere' })
      await world.documents.files.remove(store.id, last.id)
      expect([await search(), await names()]).toEqual([0, []])
    } finally {
      await other.close()
    }
    await world.documents.removeStore(store)
    await expect(world.documents.stores.get(store.id, ADA)).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('keep equal chunks of several files apart', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    const files = await Promise.all(['a', 'b', 'c'].map((name) => world.upload('one song', name)))
    for (const file of files) {
      await world.add(store, file, { attributes: { name: file.filename } })
      await world.done(store, file)
    }
    expect(await world.find(store, 'song')).toHaveLength(3)
    expect(await world.find(store, 'song', { count: 2 })).toHaveLength(2)
    const filter = ({ name }: { name?: unknown }) => name === 'b'
    expect(await world.find(store, 'song', { filter })).toMatchObject([{ filename: 'b' }])
    await world.documents.uploads.remove(files.slice(1, 2))
    expect(await world.find(store, 'song', { filter })).toEqual([])
  })

  it('are indexed anew after an interruption, and left when they are removed meanwhile', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    let isHeld = true
    let held = 0
    world.embedBy(async (texts, { signal: ending }) => {
      if (isHeld && held > 0) {
        await new Promise((_, reject) => {
          held += 1
          ending.addEventListener('abort', () => reject(ending.reason as Error))
        })
      }
      held += 1
      return texts.map(toVector)
    })
    const long = await world.upload('A stone in the frost. '.repeat(900))
    await world.add(store, long)
    await eventually(async () => expect([held > 1, await world.countChunks()]).toEqual([true, 16]))
    isHeld = false
    expect(await world.find(store, 'stone')).toEqual([])
    await world.restart()
    await world.done(store, long)
    const { chunkCount } = await world.documents.files.get(store.id, long.id)
    expect([await world.countChunks(), (await world.find(store, 'stone')).length]).toEqual([
      chunkCount,
      Math.min(50, chunkCount),
    ])
    isHeld = true
    held = 1
    const left = await world.upload('A boat. '.repeat(900))
    await world.add(store, left)
    await eventually(() => expect(held).toBeGreaterThan(1))
    await world.documents.uploads.remove([left])
    await expect(world.state(store, left)).rejects.toMatchObject({ kind: 'not_found' })
    expect(await world.countChunks()).toBe(chunkCount)
  })

  it('fail with their reason, and after failures that pass are tried again', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    const fault = async (file: StoredFile) => {
      const { errorCode, errorMessage, usageBytes } = await world.documents.files.get(store.id, file.id)
      return [errorCode, errorMessage, usageBytes]
    }
    const blank = await world.upload(' \n ')
    const latin = await world.upload('x')
    await writeFile(await world.documents.uploads.locate(latin), Buffer.from('caf\xe9', 'latin1'))
    for (const file of [blank, latin]) {
      await world.add(store, file)
      await world.done(store, file, 'failed')
    }
    expect(await fault(blank)).toEqual(['invalid_file', 'the file has no text', 0])
    expect(await fault(latin)).toEqual(['invalid_file', 'the document is not UTF-8 text', 0])
    let tries = 0
    world.embedBy(async (texts) => {
      tries += 1
      if (tries < 3) throw new SvcError('rate_limited', 'later', { retryAfterMs: 1 })
      return texts.map(toVector)
    })
    const patient = await world.upload('a star')
    await world.add(store, patient)
    await world.done(store, patient)
    expect(tries).toBe(3)
    world.embedBy(async () => {
      throw new SvcError('internal', 'a secret of the server')
    })
    const broken = await world.upload('a song')
    await world.add(store, broken)
    await world.done(store, broken, 'failed')
    expect(await fault(broken)).toEqual(['server_error', 'the server failed to index the file', 0])
    world.embedBy(async (texts) => texts.map(() => new Float32Array(3)))
    const other = await world.upload('a boat')
    await world.add(store, other)
    await world.done(store, other, 'failed')
    await expect(world.find(store, 'star')).rejects.toMatchObject({ code: 'vector_store_model_changed' })
  })

  it('do not wait for the files of another owner that have to wait', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    let goOn: () => void = () => undefined
    world.sleepBy(
      () =>
        new Promise((resolve) => {
          goOn = resolve
        }),
    )
    let isLimited = true
    world.embedBy(async (texts) => {
      if (isLimited && texts[0]?.startsWith('Eat') === true) throw new SvcError('rate_limited', 'later')
      return texts.map(toVector)
    })
    const bread = await world.upload('Eat bread')
    await world.add(store, bread)
    for (let count = 0; count < 3; count += 1) await world.add(store, await world.upload('Eat more bread'))
    const star = await world.upload('a star', 'star', 'bob')
    await world.documents.files.add(store.id, [{ file: star, attributes: {}, chunkSize: 100, chunkOverlap: 10 }], 'bob')
    world.documents.indexer.wake()
    await world.done(store, star)
    expect(await world.state(store, bread)).toBe('in_progress')
    isLimited = false
    world.sleepBy(async () => undefined)
    goOn()
    await world.done(store, bread)
  })

  it('of several owners take turns', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    const add = async (text: string, owner: string) => {
      const file = await world.upload(text, 'note', owner)
      await world.documents.files.add(store.id, [{ file, attributes: {}, chunkSize: 100, chunkOverlap: 10 }], owner)
      return file
    }
    for (const text of ['a river', 'a star', 'a boat', 'a stone', 'a frost', 'honey']) await add(text, 'ada')
    await add('two songs', 'bob')
    await add('three songs', 'bob')
    const last = await add('a song of Eve', 'eve')
    world.documents.indexer.wake()
    await world.done(store, last)
    const order = world.asked.flat()
    expect(order.indexOf('two songs')).toBeLessThan(4)
    expect(order.indexOf('a song of Eve')).toBeLessThan(5)
    await eventually(async () => expect(await world.countChunks()).toBe(9))
    expect(world.asked).toHaveLength(9)
  })

  it('may be added twice at the same time, and a store removed meanwhile', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    const files = [await world.upload('a star'), await world.upload('a boat')]
    await Promise.all(Array.from({ length: 6 }, (_, index) => world.add(store, files[index % 2] as StoredFile)))
    for (const file of files) await world.done(store, file)
    expect(await world.countChunks()).toBe(2)
    for (let round = 0; round < 5; round += 1) {
      const short = await world.store()
      const adding = files.map((file) => world.add(short, file))
      const results = await Promise.allSettled([...adding, world.documents.removeStore(short)])
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'not_found' })
    }
    await eventually(async () => expect([await world.countFiles(), await world.countChunks()]).toEqual([2, 2]))
  })

  it('go with their owner', async () => {
    await using world = await openWorld(create)
    for (let count = 0; count < 3; count += 1) await world.add(await world.store(), await world.upload('a river'))
    const kept = await world.upload('a star', 'star', 'bob')
    const store = await world.store({ owner: 'bob' })
    await world.add(store, kept)
    await world.done(store, kept)
    await world.documents.removeOwner('ada')
    expect([await world.list(), await world.countFiles(), await world.countChunks()]).toEqual([
      [kept.id.slice(5)],
      1,
      1,
    ])
    expect(await world.documents.stores.list({ limit: 9, order: 'asc' }, { id: '', isAdmin: true })).toMatchObject({
      items: [{ id: store.id }],
    })
  })

  it('go at the next start when the deletion of their account was cut off', async () => {
    await using world = await openWorld(create)
    const [gone, there] = ['0'.repeat(31).concat('1'), '0'.repeat(31).concat('2')]
    await world.queries.change((db, { users }) =>
      db.insert(users).values({
        ...{ id: there, email: 'eve@x.example', emailVerified: 0, name: '', avatarUrl: '', provider: 'local' },
        ...{ subject: 'eve@x.example', role: 'user', status: 'active', approved: 1, features: '{}' },
        ...{ allowedModels: '{}', createdAt: 1, updatedAt: 1 },
      }),
    )
    const kept: string[] = []
    for (const owner of [gone, there, 'local', 'legacy-api-key']) {
      const file = await world.upload('a river', 'river', owner)
      const store = await world.store({ owner })
      await world.add(store, file)
      await world.done(store, file)
      if (owner !== gone) kept.push(file.id.slice(5))
    }
    await world.restart()
    expect([(await world.list()).sort(), await world.countFiles(), await world.countChunks()]).toEqual([
      kept.sort(),
      3,
      3,
    ])
    const { items } = await world.documents.stores.list({ limit: 9, order: 'asc' }, { id: '', isAdmin: true })
    expect(items.map(({ owner }) => owner)).toEqual([there, 'local', 'legacy-api-key'])
  })

  it('leave a store in parts', async () => {
    await using world = await openWorld(create)
    const [store, other] = [await world.store(), await world.store()]
    for (const text of ['a river', 'a star', 'a boat', 'a song', 'a stone']) {
      const file = await world.upload(text)
      for (const each of [store, other]) {
        await world.add(each, file)
        await world.done(each, file)
      }
    }
    await removeFilesInParts(world.queries, store.id, { now: 1, chunksAtOnce: 2 })
    expect([await world.countFiles(), await world.countChunks()]).toEqual([5, 5])
    expect(await world.find(store, 'river')).toEqual([])
    await world.documents.removeStore(other)
    expect([await world.countFiles(), await world.countChunks()]).toEqual([0, 0])
  })

  it('leave a store with few chunks in a statement, also one file of many', async () => {
    await using world = await openWorld(create)
    const [store, other] = [await world.store(), await world.store()]
    const file = await world.upload('A stone in the frost. '.repeat(400))
    for (const each of [store, other]) {
      await world.add(each, file)
      await world.done(each, file)
    }
    const chunks = (await world.countChunks()) / 2
    expect(chunks).toBeGreaterThan(20)
    const written: number[] = []
    const count = (queries: Queries): Queries => ({
      ...queries,
      rows: (build) => queries.rows(build),
      async change(build) {
        const changed = await queries.change(build)
        written.push(changed)
        return changed
      },
    })
    const { queries } = world
    const counted: DatabaseQueries = {
      ...count(queries),
      transaction: (work) => queries.transaction((transaction) => work(count(transaction))),
      holdsRows: (table) => queries.holdsRows(table),
      readFact: (key) => queries.readFact(key),
    }
    const parts = { now: 1, chunksAtOnce: 4 }
    expect(await removeFromStore(counted, { storeId: store.id, id: file.id }, parts)).toBe(true)
    expect([await world.countFiles(), await world.countChunks()]).toEqual([1, chunks])
    await removeFilesInParts(counted, other.id, parts)
    expect([await world.countFiles(), await world.countChunks()]).toEqual([0, 0])
    expect(Math.max(...written)).toBe(4)
    expect(await removeFromStore(counted, { storeId: store.id, id: file.id }, parts)).toBe(false)
  })

  it('leave a store that expires', async () => {
    await using world = await openWorld(create)
    const store = await world.store({ expiresDays: 1 })
    const file = await world.upload('a river')
    await world.add(store, file)
    await world.done(store, file)
    world.move(0.9 * DAY)
    await world.documents.stores.markUse(await world.documents.stores.use(store.id, ADA))
    world.move(0.9 * DAY)
    await world.documents.stores.use(store.id, ADA)
    world.move(0.2 * DAY)
    await expect(world.documents.stores.use(store.id, ADA)).rejects.toMatchObject({ code: 'vector_store_expired' })
    await world.documents.trim()
    expect(await world.countChunks()).toBe(0)
    expect(await world.documents.stores.get(store.id, ADA)).toMatchObject({ id: store.id })
    expect(await world.documents.uploads.find(file.id, ADA)).toEqual(file)
  })

  it('leave a store that expires after up to a year', async () => {
    await using world = await openWorld(create)
    const store = await world.store({ expiresDays: 365 })
    const file = await world.upload('a river')
    await world.add(store, file)
    await world.done(store, file)
    world.move(364 * DAY)
    await world.documents.trim()
    expect(await world.countChunks()).toBe(1)
    world.move(2 * DAY)
    await world.documents.trim()
    expect(await world.countChunks()).toBe(0)
  })

  it('are indexed by another server where their own one is gone', async () => {
    await using world = await openWorld(create, { sharesBytes: true })
    const { database } = world
    const store = await world.store()
    const file = await world.upload('a river')
    const held = createDeferred<Float32Array[]>()
    world.embedBy(() => held.promise)
    await world.add(store, file)
    const lease = (id: string, leaseUntil = Date.now() + DAY) =>
      world.queries.change((db, { frontEnds }) =>
        db
          .insert(frontEnds)
          .values({ id, leaseUntil, progress: '{}' })
          .onConflictDoUpdate({ target: frontEnds.id, set: { leaseUntil } }),
      )
    for (const id of ['one', 'two', 'three']) await lease(id)
    expect(await adoptFiles({ database, server: 'two' })).toBe(0)
    await lease('one', 1)
    const adopted = await Promise.all([
      adoptFiles({ database, server: 'two' }),
      adoptFiles({ database, server: 'three' }),
    ])
    expect(adopted.sort()).toEqual([0, 1])
    world.embedBy(async (texts) => texts.map(toVector))
    const others = await Promise.all([world.open('two'), world.open('three')])
    await world.done(store, file)
    // The one that was away adds nothing when it goes on.
    held.resolve([toVector('a river')])
    await world.restart()
    expect([await world.countChunks(), (await world.find(store, 'river')).length]).toEqual([1, 1])
    for (const other of others) await other.close()
  })

  it('are opened beside things that are not theirs', async () => {
    await using world = await openWorld(create)
    const file = await world.upload('a river')
    const gone = await world.upload('a star')
    await mkdir(world.dir.join('files-one/lost+found/inner'), { recursive: true })
    const other = await world.open('two')
    await other.uploads.remove([gone])
    await other.close()
    await world.documents.trim()
    expect(await world.list()).toHaveLength(3)
    // The bytes of what another server has removed go later.
    world.move(3_600_000)
    await world.documents.trim()
    expect((await world.list()).sort()).toEqual([file.id.slice(5), 'lost+found'])
    await world.restart()
    expect(await world.documents.uploads.find(file.id, ADA)).toEqual(file)
    await writeFile(world.dir.join('files-one', gone.id.slice(5)), 'the server was killed before the row')
    await world.restart()
    expect(await world.list()).toHaveLength(2)
  })

  it('stay where the database is another one', async () => {
    await using world = await openWorld(create)
    const river = await world.upload('a river')
    await using other = await openWorld(create, { filesOf: world })
    // Also once the other database has a file of its own.
    for (let round = 0; round < 2; round += 1) {
      await other.restart()
      other.move(DAY)
      await other.documents.trim()
      expect(await readdir(world.dir.join('files-one'))).toContain(river.id.slice(5))
      await other.upload('a star')
    }
    await world.restart()
    expect(await world.documents.uploads.find(river.id, ADA)).toEqual(river)
    expect(await readFile(await world.documents.uploads.locate(river), 'utf8')).toBe('a river')
    // The files of the other database stay too.
    expect(await world.list()).toHaveLength(3)
    await world.upload('a moon')
    await world.restart()
    expect(await world.list()).toHaveLength(4)
  })

  it('of a folder without a mark stay where no row names one of them', async () => {
    await using world = await openWorld(create)
    const river = await world.upload('a river')
    const mark = world.dir.join('files-one', FOLDER_MARK)
    await rm(mark)
    await using other = await openWorld(create, { filesOf: world })
    await other.upload('a star')
    await other.restart()
    expect(await world.list()).toHaveLength(2)
    await rm(mark)
    await world.restart()
    expect(await world.list()).toEqual([river.id.slice(5)])
  })

  it('are not added to a store that is gone', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    const file = await world.upload('a river')
    await world.documents.removeStore(store)
    await expect(world.add(store, file)).rejects.toMatchObject({ kind: 'not_found' })
    const addition = { file, attributes: {}, chunkSize: 100, chunkOverlap: 10 }
    await expect(world.documents.files.addBatch(store.id, [addition], 'ada')).rejects.toMatchObject({
      kind: 'not_found',
    })
    expect(await world.countFiles()).toBe(0)
  })

  it('have so many batches, of which the oldest is forgotten', async () => {
    await using world = await openWorld(create)
    const [store, other] = [await world.store(), await world.store()]
    const toBatch = (storeId: string) => (_: unknown, index: number) => ({
      ...{ id: `vsfb_${storeId === store.id ? 'a' : 'b'}${index.toString(16).padStart(31, '0')}`, storeId },
      ...{ cancelled: 0, createdAt: index },
    })
    for (const { id } of [store, other]) {
      const rows = Array.from({ length: 1000 }, toBatch(id))
      await world.queries.change((db, { documentBatches }) => db.insert(documentBatches).values(rows))
    }
    const { files } = world.documents
    const file = await world.upload('a river')
    const batch = await files.addBatch(store.id, [{ file, attributes: {}, chunkSize: 100, chunkOverlap: 10 }], 'ada')
    expect(await files.getBatch(store.id, batch.id)).toEqual(batch)
    const [first, second] = [toBatch(store.id)(0, 0), toBatch(store.id)(0, 1)]
    await expect(files.getBatch(store.id, first.id)).rejects.toMatchObject({ kind: 'not_found' })
    expect(await files.getBatch(store.id, second.id)).toEqual(second)
    expect(await files.getBatch(other.id, toBatch(other.id)(0, 0).id)).toMatchObject({ createdAt: 0 })
  })

  it('cancel the files of a batch that wait', async () => {
    await using world = await openWorld(create)
    const store = await world.store()
    world.embedBy(
      (_, { signal: ending }) =>
        new Promise((_, reject) => ending.addEventListener('abort', () => reject(ending.reason as Error))),
    )
    const files = await Promise.all(['a', 'b', 'c', 'd'].map((name) => world.upload(`${name} star`, name)))
    const additions = files.map((file) => ({ file, attributes: {}, chunkSize: 100, chunkOverlap: 10 }))
    const batch = await world.documents.files.addBatch(store.id, additions, 'ada')
    world.documents.indexer.wake()
    const cancelled = await world.documents.files.cancelBatch(batch)
    for (const id of cancelled) world.documents.indexer.stop(store.id, id)
    expect([...cancelled].sort()).toEqual(files.map(({ id }) => id).sort())
    const page = await world.documents.files.list(store.id, { limit: 9, order: 'asc', status: 'cancelled' })
    expect(page.items).toHaveLength(4)
  })
})
