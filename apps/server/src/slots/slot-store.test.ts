import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { createDeferred, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAVED_ID, writeSavedState } from '../../test/support/saved-state.ts'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { identifyWeights } from '../catalog/weights-identity.ts'
import { hashWriter } from '../operations/server-id.ts'
import { removeStates } from './remove-states.ts'
import { createSlotStore, type SlotStore } from './slot-store.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }
const clock = { now: () => Date.now() }
const signal = new AbortController().signal
const id = SAVED_ID

let dir: TempDir
let outside: TempDir
let store: SlotStore
beforeAll(async () => {
  dir = await tempDir()
  outside = await tempDir()
  store = createStore()
})
afterAll(async () => {
  await dir[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

function createStore(limits: { maxBytes?: number; maxStates?: number } = {}): SlotStore {
  const reserves = (path: string): boolean => path === join(dir.path, 'data')
  return createSlotStore({ serverId: 'this-server', reserves, clock, logger, ...limits })
}

let count = 0
/** A model of its own, whose states are in `slots`. */
function nextModel(changes: Partial<ModelConfig> = {}): ModelConfig {
  count += 1
  return createModel({ name: `m${count}`, folder: dir.path, slotSavePath: 'slots', ...changes })
}
const listStates = (model: ModelConfig, folder = 'slots'): Promise<string[]> =>
  readdir(join(dir.path, folder, model.name)).catch(() => [])
/** Writes a state as an engine does. */
const write =
  (content = 'state') =>
  async (file: string): Promise<number> => {
    await writeFile(file, content)
    return 5
  }
const save = (model: ModelConfig, from = store) => from.save(model, write(), { signal })
const restore = (model: ModelConfig, state = id, from = store) =>
  from.restore(model, state, (file) => readFile(file, 'utf8'), { signal })

describe('the folder of states', () => {
  it.each<[string, Partial<ModelConfig>, string]>([
    ['the key', { slotSavePath: './states/deep/' }, 'states/deep'],
    ['an option', { slotSavePath: undefined, options: ['a:b', 'slot_save_path:by-option'] }, 'by-option'],
    ['an option of the engine', { slotSavePath: 'other', options: ['--slot-save-path:by-flag'] }, 'by-flag'],
    ['the key beside an empty option', { options: ['slot_save_path:'] }, 'slots'],
  ])('is that of %s', async (_, changes, folder) => {
    const model = nextModel(changes)
    const saved = await save(model)
    expect(await listStates(model, folder)).toEqual([saved.id])
  })

  it('may be an absolute path in the models folder', async () => {
    const model = nextModel({ slotSavePath: join(dir.path, 'absolute') })
    const saved = await save(model)
    expect(await listStates(model, 'absolute')).toEqual([saved.id])
  })

  it('is one file name for a model with slashes, colons and dots', async () => {
    const model = nextModel({ name: 'owner/../m:latest' })
    const { id: saved } = await save(model)
    expect(await readdir(join(dir.path, 'slots', 'owner__..__m%3Alatest'))).toEqual([saved])
    expect(await restore(model, saved)).toBe('state')
  })

  const OUTSIDE = ['/etc', '/', '..', '../slots', 'slots/../../out', 'a/..', '.', './', '.hidden', '-flag', 'a//b']
  it.each([...OUTSIDE, 'slots\\..\\..', 'slots\u202e', 'slots\0', 'data', 'x'.repeat(300)])(
    'is never %j',
    async (path) => {
      const model = nextModel({ slotSavePath: path })
      const refused = { kind: 'invalid_request', code: 'slot_save_path_refused' }
      expect(() => store.check(model)).toThrow(expect.objectContaining(refused))
      await expect(save(model)).rejects.toMatchObject(refused)
      await expect(restore(model)).rejects.toMatchObject(refused)
    },
  )

  it('is never behind a link: nothing is written there or read', async () => {
    await using out = await tempDir()
    await symlink(out.path, join(dir.path, 'linked'))
    const model = nextModel({ slotSavePath: 'linked/x' })
    await expect(save(model)).rejects.toMatchObject({ code: 'slot_save_path_refused' })
    expect(await readdir(out.path)).toEqual([])
    await writeSavedState(dir.path, model.name)
    await mkdir(join(out.path, 'x'))
    await rename(join(dir.path, 'slots', model.name), join(out.path, 'x', model.name))
    await expect(restore(model)).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('has no place without the key', async () => {
    const refused = { kind: 'invalid_request', code: 'slot_save_path_missing' }
    for (const slotSavePath of [undefined, '']) {
      const model = nextModel({ slotSavePath })
      await expect(save(model)).rejects.toMatchObject(refused)
      await expect(store.find(model, id)).rejects.toMatchObject(refused)
    }
  })

  it('that cannot be written is a lack of storage', async () => {
    if (process.getuid?.() === 0) return
    const model = nextModel({ slotSavePath: 'locked/x' })
    await mkdir(join(dir.path, 'locked'))
    await chmod(join(dir.path, 'locked'), 0o500)
    await expect(save(model)).rejects.toMatchObject({ kind: 'insufficient_storage', code: 'not_writable' })
  })
})

describe('a save', () => {
  it('keeps the state with its record, for the user of the server only', async () => {
    const model = nextModel()
    const saved = await save(model)
    expect(saved).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), bytes: 5 })
    const record = JSON.parse(await readFile(join(dir.path, 'slots', model.name, saved.id, 'record.json'), 'utf8'))
    expect(record).toMatchObject({ id: saved.id, model: model.name, size: 5, tokens: 5 })
    expect(await restore(model, saved.id)).toBe('state')
  })

  // verifies limits:slots:size
  it('of a state over the limit is refused, and the state deleted; one of its size is kept', async () => {
    const model = nextModel()
    const small = createStore({ maxBytes: 5 })
    await expect(small.save(model, write('longer'), { signal })).rejects.toMatchObject({
      kind: 'insufficient_storage',
      code: 'slot_state_too_large',
    })
    expect(await listStates(model)).toEqual([])
    expect(await save(model, small)).toMatchObject({ bytes: 5 })
  })

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['no file', async () => undefined],
    ['an empty file', (file) => writeFile(file, '')],
    ['a folder', (file) => mkdir(file)],
    ['a link', (file) => symlink('/etc/passwd', file)],
  ])('whose engine leaves %s fails, and leaves nothing', async (_, leave) => {
    const model = nextModel()
    const saving = store.save(
      model,
      async (file) => {
        await leave(file)
        return 1
      },
      { signal },
    )
    await expect(saving).rejects.toMatchObject({ kind: 'internal', code: 'slot_state_unwritten' })
    expect(await listStates(model)).toEqual([])
  })

  it('that is left leaves nothing, also when its engine writes on', async () => {
    const model = nextModel()
    const leaving = new AbortController()
    let written = ''
    const saving = store.save(
      model,
      async (file) => {
        written = file
        await writeFile(`${file}.partial`, 'half')
        leaving.abort(new Error('left'))
        throw leaving.signal.reason
      },
      { signal: leaving.signal },
    )
    await expect(saving).rejects.toThrow('left')
    await expect(rename(`${written}.partial`, written)).rejects.toThrow('ENOENT')
    await expect(appendFile(written, 'more')).rejects.toThrow('ENOENT')
    expect(await listStates(model)).toEqual([])
  })

  it('ends while the state is hashed', async () => {
    const model = nextModel()
    const leaving = new AbortController()
    const saving = store.save(
      model,
      async (file) => {
        await writeFile(file, '')
        await truncate(file, 2 ** 33)
        setTimeout(() => leaving.abort(new Error('left')), 10)
        return 1
      },
      { signal: leaving.signal },
    )
    await expect(saving).rejects.toThrow('left')
    expect(await listStates(model)).toEqual([])
  })

  it('leaves the folders of running saves alone', async () => {
    const model = nextModel()
    const [begun, release] = [createDeferred<void>(), createDeferred<void>()]
    const slow = store.save(
      model,
      async (file) => {
        begun.resolve()
        await release.promise
        return write()(file)
      },
      { signal },
    )
    await begun.promise
    const quick = await save(model)
    release.resolve()
    const ids = [quick.id, (await slow).id]
    expect((await listStates(model)).sort()).toEqual(ids.sort())
  })

  // verifies slots:saved:kept
  it('never removes a folder that is not a state, whatever its name', async () => {
    const model = nextModel()
    const few = createStore({ maxStates: 1 })
    const folder = join(dir.path, 'slots', model.name)
    const foreign = ['a', 'b', 'c'].map((digit) => digit.repeat(32))
    for (const name of foreign) await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, foreign[0] ?? '', 'mine.txt'), 'mine')
    await writeFile(join(folder, foreign[1] ?? '', 'record.json'), '{"id": "mine"}')
    await writeSavedState(dir.path, model.name, { id: foreign[2] ?? '', record: { id: 'f'.repeat(32) } })
    for (let number = 0; number < 3; number += 1) await save(model, few)
    const last = await save(model, few)
    expect((await listStates(model)).sort()).toEqual([...foreign, last.id].sort())
  })

  it('removes the oldest states beyond the limit, but none that is being restored', async () => {
    const model = nextModel()
    const few = createStore({ maxStates: 3 })
    const ids: string[] = []
    const saveNext = async (): Promise<void> => {
      const saved = (await save(model, few)).id
      ids.push(saved)
      await utimes(join(dir.path, 'slots', model.name, saved), ids.length, ids.length)
    }
    for (let number = 0; number < 5; number += 1) await saveNext()
    expect((await listStates(model)).sort()).toEqual(ids.slice(2).sort())
    const [reading, release] = [createDeferred<void>(), createDeferred<void>()]
    const restoring = few.restore(
      model,
      ids[2] ?? '',
      async () => {
        reading.resolve()
        await release.promise
      },
      { signal },
    )
    await reading.promise
    await saveNext()
    expect(await listStates(model)).toContain(ids[2])
    release.resolve()
    await restoring
    await saveNext()
    expect((await listStates(model)).sort()).toEqual(ids.slice(4).sort())
  })

  // verifies slots:saved:left
  it('removes what a kill has left, of this server at once, of another one after a day', async () => {
    const model = nextModel()
    const { id: saved } = await save(model)
    const folder = join(dir.path, 'slots', model.name)
    const [own, other] = [hashWriter('this-server'), hashWriter('another-server')]
    const names = [
      [`.saving-${own}-0123456789ab`, 0, false],
      [`.saving-${other}-0123456789ab`, 0, true],
      [`.saving-${other}-0123456789ac`, 25, false],
      ['.saving-0123456789ab', 25, true],
      ['notes', 25, true],
    ] as const
    for (const [name, hours] of names) {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'x.slot'), 'half')
      const at = Date.now() / 1000 - hours * 3600
      for (const path of [join(folder, name, 'x.slot'), join(folder, name)]) await utimes(path, at, at)
    }
    const next = await save(model)
    const left = names.flatMap(([name, , isLeft]) => (isLeft ? [name] : []))
    expect((await listStates(model)).sort()).toEqual([...left, saved, next.id].sort())
  })
})

describe('a saved state', () => {
  // verifies slots:error:unknown-id
  it('of an unknown id, or of another model, is not found', async () => {
    const [model, other] = [nextModel(), nextModel()]
    await writeSavedState(dir.path, other.name)
    await writeSavedState(dir.path, model.name, { id: 'f'.repeat(32), record: { model: other.name } })
    for (const state of [id, 'f'.repeat(32), '0'.repeat(32)]) {
      await expect(restore(model, state)).rejects.toMatchObject({ kind: 'not_found', code: 'slot_state_not_found' })
    }
    await expect(restore(nextModel())).rejects.toMatchObject({ kind: 'not_found' })
    expect(await restore(other)).toContain('mock')
  })

  const moveBehindLink = async (path: string): Promise<void> => {
    const moved = join(outside.path, `moved-${count}`)
    await rename(path, moved)
    await symlink(moved, path)
  }
  const replaceByFolder = async (path: string): Promise<void> => {
    await rm(path)
    await mkdir(path)
  }
  const state = (folder: string): string => join(folder, `${id}.slot`)
  const record = (folder: string): string => join(folder, 'record.json')

  it.each<[string, (folder: string) => Promise<unknown>]>([
    ['its file is gone', (folder) => rm(state(folder))],
    ['its file is shorter', (folder) => truncate(state(folder), 5)],
    ['its file is empty', (folder) => truncate(state(folder), 0)],
    ['its file is longer', (folder) => truncate(state(folder), 10_000)],
    ['its file has other content', (folder) => writeFile(state(folder), '{"mock":"slot","tokens":8}')],
    ['its file is a link', (folder) => moveBehindLink(state(folder))],
    ['its file is a folder', (folder) => replaceByFolder(state(folder))],
    ['its record is gone', (folder) => rm(record(folder))],
    ['its record is a folder', (folder) => replaceByFolder(record(folder))],
    ['its record is empty', (folder) => truncate(record(folder), 0)],
    ['its record is not JSON', (folder) => writeFile(record(folder), '{"id":')],
    ['its record is a list', (folder) => writeFile(record(folder), '[]')],
    ['its record is deep', (folder) => writeFile(record(folder), '['.repeat(10_000))],
    ['its record is huge', (folder) => truncate(record(folder), 5_000_000_000)],
    ['its record is a link', (folder) => moveBehindLink(record(folder))],
    ['its folder is a link', (folder) => moveBehindLink(folder)],
  ])('is not read when %s', async (_, change) => {
    const model = nextModel()
    await change(await writeSavedState(dir.path, model.name))
    let reads = 0
    const restoring = store.restore(model, id, async () => (reads += 1), { signal })
    await expect(restoring).rejects.toMatchObject({ kind: 'precondition_failed', code: 'slot_state_mismatch' })
    expect(reads).toBe(0)
  })

  it.each<[string, Record<string, unknown>]>([
    ['another id', { id: 'e'.repeat(32) }],
    ['the path of another file', { file: '../../../configuration/api_keys.json' }],
    ['an absolute path', { file: '/etc/passwd' }],
    ['the file of another state', { file: `${'e'.repeat(32)}.slot` }],
    ['a negative size', { size: -1 }],
    ['half a size', { size: 1.5 }],
    ['a size over all numbers', { size: 1e300 }],
    ['another size', { size: 3 }],
    ['another hash', { sha256: 'a'.repeat(64) }],
    ['a hash in capitals', { sha256: 'A'.repeat(64) }],
    ['a text for tokens', { tokens: 'many' }],
    ['no model', { model: null }],
    ['odd weights', { weights: 'x' }],
    ['other weights', { weights: { file: 'w.bin', size: 1, mtime: '2026-11-29T12:00:00.000Z' } }],
  ])('is not read with a record that was edited to have %s', async (_, changes) => {
    const model = nextModel({ parameters: { model: 'w.bin' } })
    await writeFile(join(dir.path, 'w.bin'), 'weights')
    await writeSavedState(dir.path, model.name, { record: changes })
    await expect(restore(model)).rejects.toMatchObject({ kind: 'precondition_failed' })
  })

  it('is not read for other weights; unknown weights fit', async () => {
    const model = nextModel({ parameters: { model: 'changing.bin' } })
    const weights = join(dir.path, 'changing.bin')
    const { id: unknown } = await save(model)
    await writeFile(weights, 'one')
    const loaded = await identifyWeights(weights, 'changing.bin')
    const saveLoaded = () => store.save(model, write(), { weights: loaded, signal })
    const { id: saved } = await saveLoaded()
    expect(await restore(model, saved)).toBe('state')
    await writeFile(weights, 'another')
    // The model still has the old weights in memory: its state is not one of the new ones.
    const { id: old } = await saveLoaded()
    await expect(store.find(model, old)).rejects.toMatchObject({ code: 'slot_state_mismatch' })
    await expect(store.find(model, saved)).rejects.toMatchObject({ code: 'slot_state_mismatch' })
    expect(await restore(model, unknown)).toBe('state')
    await rm(weights)
    expect(await restore(model, saved)).toBe('state')
  })

  it('stops being read when its caller leaves', async () => {
    const model = nextModel()
    await writeSavedState(dir.path, model.name)
    const reason = new Error('left')
    const restoring = store.restore(model, id, write(), { signal: AbortSignal.abort(reason) })
    await expect(restoring).rejects.toBe(reason)
  })
})

describe('the states of a deleted model', () => {
  it('are removed with their folder', async () => {
    const model = nextModel()
    await save(model)
    await save(model)
    expect(await removeStates(model)).toBe(2)
    expect(await readdir(join(dir.path, 'slots'))).not.toContain(model.name)
    expect(await removeStates(model)).toBe(0)
    for (const slotSavePath of [undefined, '../out', 'nowhere'])
      expect(await removeStates(nextModel({ slotSavePath }))).toBe(0)
  })

  it('are removed alone: other folders, and states of another model, stay', async () => {
    const model = nextModel()
    const { id: saved } = await save(model)
    const folder = join(dir.path, 'slots', model.name)
    await mkdir(join(folder, 'f'.repeat(32)))
    await writeSavedState(dir.path, model.name, { record: { model: 'other' } })
    expect(await removeStates(model)).toBe(1)
    expect(await listStates(model)).toEqual([id, 'f'.repeat(32)].sort())
    expect(saved).not.toBe(id)
  })
})
