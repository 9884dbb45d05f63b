import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collectLines, type TempDir, tempDir } from '@svc/test-kit'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStores } from './__fixtures__/open-stores.ts'
import { JOURNAL_ENDING, nameJournal } from './journal-files.ts'
import type { StoreName } from './store-name.ts'
import type { VectorStores } from './vector-stores.ts'

const { signal } = new AbortController()
const STORE: StoreName = { owner: 'callers', name: 'pictures' }
const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const toVector = (key: string) => key.split(' ').map(Number)

type Entries = Readonly<Record<string, string>>

const set = (stores: VectorStores, entries: Entries, store = STORE) =>
  stores.set(
    store,
    Object.entries(entries).map(([key, value]) => ({ key: toVector(key), value: encode(value) })),
    { signal },
  )
const remove = (stores: VectorStores, keys: readonly string[], store = STORE) =>
  stores.delete(store, keys.map(toVector), { signal })

/** All entries by their keys: a store lists those near to a vector. */
async function list(stores: VectorStores, store = STORE, query: readonly number[] = [1, 0]): Promise<Entries> {
  const found = await stores.find(store, query, { count: 1000, signal })
  return Object.fromEntries(found.map(({ key, value }) => [Array.from(key).join(' '), decode(value)]))
}

let dir: TempDir
let folder: string
beforeEach(async () => {
  dir = await tempDir()
  folder = join(dir.path, 'stores')
})
afterEach(() => dir.close())

const path = (store = STORE) => join(folder, nameJournal(store))
const listFiles = async () => (await readdir(folder).catch(() => [])).sort()

describe.each([true, false])('stores (kept: %s)', (isKept) => {
  const open = (limits = {}) => openStores(folder, { isKept, limits })

  it('begin with their first entry and end with their last one', async () => {
    const stores = await open()
    expect([await list(stores), await remove(stores, ['1 0'])]).toEqual([{}, 0])
    await set(stores, { '1 0': 'a', '0 1': 'b' })
    await set(stores, { '1 0': 'c' }, { owner: 'callers', name: 'other' })
    await set(stores, { '1 0': 'd' }, { owner: 'model', name: 'pictures' })
    expect(await list(stores)).toEqual({ '1 0': 'a', '0 1': 'b' })
    expect(stores.figures).toMatchObject({ stores: 3, entries: 4 })
    await expect(set(stores, { '1 2 3': 'x' })).rejects.toMatchObject({ code: 'vector_dimension' })
    expect(await remove(stores, ['1 0', '0 1', '5 5'])).toBe(2)
    expect(stores.figures).toMatchObject({ stores: 2, entries: 2 })
    await set(stores, { '1 2 3': 'x' })
    expect(await list(stores, STORE, [1, 2, 3])).toEqual({ '1 2 3': 'x' })
    expect(await listFiles()).toHaveLength(isKept ? 3 : 0)
  })

  it.each([
    ['entries of a store', { maxEntries: 2 }, { '1 0': 'a', '2 0': 'b', '3 0': 'c' }],
    ['entries of all stores', { maxTotalEntries: 3 }, { '1 0': 'a', '2 0': 'b' }],
    ['bytes of all stores', { maxTotalBytes: 400 }, { '1 0': 'a'.repeat(300) }],
    ['stores', { maxStores: 2 }, { '1 0': 'a' }],
  ])('have a bound on the number of %s, and keep nothing of what passes it', async (_, limits, entries) => {
    const stores = await open(limits)
    await set(stores, { '1 0': 'first' })
    await set(stores, { '1 0': 'second' }, { owner: 'callers', name: 'second' })
    const third: StoreName = { owner: 'callers', name: 'third' }
    await expect(set(stores, entries, third)).rejects.toMatchObject({ kind: 'insufficient_storage' })
    expect([await list(stores), await list(stores, third)]).toEqual([{ '1 0': 'first' }, {}])
    expect(stores.figures).toMatchObject({ stores: 2, entries: 2 })
    expect(await listFiles()).toHaveLength(isKept ? 2 : 0)
    // a refused change of a store that exists leaves it as it was
    if ('maxStores' in limits) return
    await expect(set(stores, { ...entries, '9 9': 'x', '1 0': 'a'.repeat(400) })).rejects.toMatchObject({
      kind: 'insufficient_storage',
    })
    expect(await list(stores)).toEqual({ '1 0': 'first' })
  })

  it('end a call whose caller has left, before its change begins', async () => {
    const stores = await open()
    await set(stores, { '1 0': 'a' })
    const left = AbortSignal.abort(new Error('left'))
    const entries = [{ key: [2, 0], value: encode('b') }]
    for (const call of [
      stores.set(STORE, entries, { signal: left }),
      stores.delete(STORE, [[1, 0]], { signal: left }),
      stores.get(STORE, [[1, 0]], { signal: left }),
      stores.find(STORE, [1, 0], { count: 1, signal: left }),
    ])
      await expect(call).rejects.toThrow('left')
    const leaving = new AbortController()
    const waiting = stores.set(STORE, entries, { signal: leaving.signal })
    leaving.abort(new Error('left'))
    await waiting.catch(() => undefined)
    expect(await list(stores)).toMatchObject({ '1 0': 'a' })
  })

  it('refuse changes when too many wait', async () => {
    const stores = await open({ maxWaiting: 2 })
    const results = await Promise.allSettled([1, 2, 3].map((number) => set(stores, { [`${number} 0`]: 'a' })))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results[2]).toMatchObject({ reason: { kind: 'rate_limited', retryAfterMs: 1000 } })
    await set(stores, { '3 0': 'a' })
  })

  it('keep changes of one store in order', async () => {
    const stores = await open()
    await Promise.all([
      set(stores, { '1 0': 'a' }),
      remove(stores, ['1 0']),
      set(stores, { '1 2 3': 'b' }),
      set(stores, { '1 2 3': 'c' }),
    ])
    expect(await list(stores, STORE, [1, 2, 3])).toEqual({ '1 2 3': 'c' })
    await stores.close()
  })
})

describe('kept stores', () => {
  // verifies inference:stores:persist
  it('are the same after a restart, in every order of changes', async () => {
    const key = fc.constantFrom('1 0', '0 1', '2 2', '-1 0.5', '0 0')
    const change = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), entries: fc.dictionary(key, fc.string(), { maxKeys: 4 }) }),
      fc.record({ kind: fc.constant('remove' as const), keys: fc.array(key, { maxLength: 4 }) }),
      fc.record({ kind: fc.constant('restart' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        await rm(folder, { recursive: true, force: true })
        let stores = await openStores(folder)
        const model = new Map<string, string>()
        for (const each of changes) {
          if (each.kind === 'restart') stores = await openStores(folder)
          else if (each.kind === 'set') {
            await set(stores, each.entries)
            for (const [name, value] of Object.entries(each.entries)) model.set(name, value)
          } else {
            await remove(stores, each.keys)
            for (const name of each.keys) model.delete(name)
          }
          expect(await list(stores)).toEqual(Object.fromEntries(model))
        }
        expect(await list(await openStores(folder))).toEqual(Object.fromEntries(model))
        expect(await listFiles()).toHaveLength(model.size === 0 ? 0 : 1)
      }),
      { numRuns: 12 },
    )
  })

  it('have, cut off at any byte, every change before the cut and nothing of the one at it', async () => {
    const stores = await openStores(folder)
    const states: { readonly bytes: number; readonly entries: Entries }[] = []
    const note = async () => states.push({ bytes: (await stat(path())).size, entries: await list(stores) })
    await set(stores, { '1 0': 'a', '0 1': 'Grüße' })
    await note()
    await set(stores, { '1 0': 'b', '3 0': '' })
    await note()
    await remove(stores, ['0 1', '7 7'])
    await note()
    const whole = await readFile(path())
    const [first] = states
    for (let cut = first?.bytes ?? 0; cut <= whole.length; cut += 3) {
      await writeFile(path(), whole.subarray(0, cut))
      const reopened = await openStores(folder)
      const expected = states.findLast(({ bytes }) => bytes <= cut)
      expect(await list(reopened), `${cut}`).toEqual(expected?.entries)
      // the file goes on behind the last whole change
      await set(reopened, { '5 5': 'later' })
      expect(await list(await openStores(folder)), `${cut}`).toEqual({ ...expected?.entries, '5 5': 'later' })
    }
  })

  it('keep a copy of a file that is damaged elsewhere than at its end', async () => {
    const stores = await openStores(folder)
    await set(stores, { '1 0': 'a' })
    const before = (await stat(path())).size
    await set(stores, { '2 0': 'b' })
    await set(stores, { '3 0': 'c' })
    const bytes = await readFile(path())
    bytes[before + 12] = (bytes[before + 12] ?? 0) ^ 0xff
    await writeFile(path(), bytes)
    expect(await list(await openStores(folder))).toEqual({ '1 0': 'a' })
    const [copy] = (await listFiles()).filter((name) => name.includes('.damaged-'))
    expect(await readFile(join(folder, copy ?? ''))).toEqual(bytes)
    // and read again it is whole
    expect(await list(await openStores(folder))).toEqual({ '1 0': 'a' })
  })

  it('do not read files that are not theirs, and leave them alone', async () => {
    await mkdir(folder, { recursive: true })
    const foreign = { [`x${JOURNAL_ENDING}`]: 'text', [nameJournal(STORE)]: 'svc-vectors-1\n', 'notes.txt': 'mine' }
    for (const [name, text] of Object.entries(foreign)) await writeFile(join(folder, name), text)
    const stores = await openStores(folder)
    expect(stores.figures.stores).toBe(0)
    for (const [name, text] of Object.entries(foreign)) expect(await readFile(join(folder, name), 'utf8')).toBe(text)
  })

  it('do not grow with changes of the same entries', async () => {
    const stores = await openStores(folder)
    const value = 'x'.repeat(100_000)
    for (let turn = 0; turn < 30; turn++) await set(stores, { '1 0': `${turn}${value}`, '0 1': value })
    expect((await stat(path())).size).toBeLessThan(2 * 1024 * 1024)
    expect(Object.keys(await list(await openStores(folder)))).toHaveLength(2)
    expect((await listFiles()).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('are as before when the disk refuses a change', async () => {
    const stores = await openStores(folder)
    await set(stores, { '1 0': 'a', '0 1': 'b' })
    await rm(folder, { recursive: true })
    await writeFile(folder, 'in the way')
    await expect(set(stores, { '1 0': 'new', '2 0': 'c' })).rejects.toMatchObject({ code: 'file_failed' })
    await expect(remove(stores, ['1 0'])).rejects.toMatchObject({ code: 'file_failed' })
    await expect(set(stores, { '1 0': 'a' }, { owner: 'callers', name: 'new' })).rejects.toMatchObject({
      code: 'file_failed',
    })
    expect(await list(stores)).toEqual({ '1 0': 'a', '0 1': 'b' })
    expect(stores.figures.stores).toBe(1)
  })

  it('are written anew when their file is not as it was left', async () => {
    const stores = await openStores(folder)
    await set(stores, { '1 0': 'a' })
    await truncate(path(), 20)
    await set(stores, { '0 1': 'b' })
    await appendFile(path(), 'rest of another program')
    await set(stores, { '2 0': 'c' })
    expect(await list(await openStores(folder))).toEqual({ '1 0': 'a', '0 1': 'b', '2 0': 'c' })
  })
})

describe('stores of a killed server', () => {
  const child = fileURLToPath(new URL('./__fixtures__/change-forever.ts', import.meta.url))

  it('have every change that was acknowledged, and the next one whole or not at all', async () => {
    for (const least of [1, 8, 15]) {
      const writer = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', child, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const output = collectLines(writer.stdout)
      await output.waitFor((line) => Number(line) >= least)
      writer.kill('SIGKILL')
      await once(writer, 'exit')
      const acknowledged = Number((await output.ended).filter((line) => /^\d+$/.test(line)).at(-1))
      const stores = await openStores(folder)
      const values = Object.values(await list(stores, { owner: 'callers', name: 'killed' }))
      const found = values.map((value) => Number(value.split(' ')[0]))
      expect(found).toHaveLength(2)
      expect(found[0]).toBe(found[1])
      expect(found[0]).toBeGreaterThanOrEqual(acknowledged)
      expect(found[0]).toBeLessThanOrEqual(acknowledged + 2)
    }
  })
})

describe('a change of the setting', () => {
  it('writes the stores in memory, and reads those of earlier files', async () => {
    const earlier = await openStores(folder)
    await set(earlier, { '1 0': 'old' })
    await set(earlier, { '1 0': 'kept' }, { owner: 'callers', name: 'earlier' })
    const stores = await openStores(folder, { isKept: false })
    expect(stores.figures.stores).toBe(0)
    await set(stores, { '0 1': 'new' })
    await stores.keep(true)
    await stores.keep(true)
    expect(await list(stores)).toEqual({ '0 1': 'new' })
    await set(stores, { '0 2': 'later' })
    const reopened = await openStores(folder)
    expect(await list(reopened)).toEqual({ '0 1': 'new', '0 2': 'later' })
    expect(await list(reopened, { owner: 'callers', name: 'earlier' })).toEqual({ '1 0': 'kept' })
  })

  it('removes the files, and the stores stay in memory', async () => {
    const stores = await openStores(folder)
    await set(stores, { '1 0': 'a' })
    await Promise.all([set(stores, { '2 0': 'b' }), stores.keep(false), set(stores, { '3 0': 'c' })])
    expect(await listFiles()).toEqual([])
    expect(await list(stores)).toEqual({ '1 0': 'a', '2 0': 'b', '3 0': 'c' })
    expect((await openStores(folder)).figures.stores).toBe(0)
  })
})
