/** The readers of settings, model files and router corpora, over stores that have no folder: tables of a shared database. */
import { SvcError } from '@svc/errors'
import { type CorpusLine, type CorpusStore, createCorpora } from '@svc/router/corpus'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createConfigFiles } from '../api/admin/model-config/config-files.ts'
import { createLocalHub, type LocalHub } from '../bus/__fixtures__/local-hub.ts'
import type { Bus } from '../bus/bus.ts'
import { createBus } from '../bus/create-bus.ts'
import type { ModelChanges } from '../bus/subjects.ts'
import { parseModelFile } from '../catalog/config-file.ts'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { KeyFileGate } from '../catalog/key-file-gate.ts'
import { toModelRows } from '../catalog/list-models.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { compareBytes } from '../catalog/model-folder.ts'
import { createModelDirectory } from '../catalog/resolve.ts'
import { loadConfig } from '../config/load.ts'
import { parseJsonFile } from '../files/read-json-file.ts'
import { createSettings, type Settings } from '../settings/settings.ts'
import type { SettingsFiles } from '../settings/settings-files.ts'

const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const { signal } = new AbortController()
const openBus = (hub: LocalHub): Bus => createBus({ link: hub.link(), logger })

/** A table of texts by name. */
type Table = Map<string, string>

/** The settings in a table. Only the bus reports its changes. */
function createSettingsTable(table: Table): SettingsFiles {
  return {
    place: 'the table of settings',
    open: async () => undefined,
    async read(name) {
      const text = table.get(name)
      return text === undefined ? { state: 'absent' } : parseJsonFile(Buffer.from(text), name)
    },
    isPresent: async () => true,
    watch: async () => ({ close: async () => undefined, [Symbol.asyncDispose]: async () => undefined }),
    async write(name, text) {
      table.set(name, text)
      return true
    },
    async keepCopy(name) {
      const text = table.get(name)
      if (text === undefined) return undefined
      table.set(`${name}.corrupt`, text)
      return `${name}.corrupt`
    },
  }
}

function openSettings(table: Table, bus: Bus, argv: readonly string[] = []): Promise<Settings> {
  const command = loadConfig({ argv, env: {}, cwd: '/nowhere' })
  if (command.kind !== 'run') throw new Error(JSON.stringify(command))
  const { config, sources } = command
  return createSettings({ config, sources, files: createSettingsTable(table), bus, logger })
}

describe('settings in a table', () => {
  it('are one for two servers, each with its own flags', async () => {
    const [table, hub]: [Table, LocalHub] = [new Map(), createLocalHub()]
    const [own, other] = [openBus(hub), openBus(hub)]
    await using one = await openSettings(table, own)
    await using two = await openSettings(table, other, ['--threads', '3'])
    const heard: (readonly string[])[] = []
    other.subscribe('settings.changed', ({ keys }) => heard.push(keys))
    await one.update({ threads: 7, f16: true })
    await eventually(() => expect(heard).toEqual([['f16']]))
    expect([one.get('threads'), two.get('threads'), two.get('f16')]).toEqual([7, 3, true])
    await two.update({ debug: true })
    await eventually(() => expect(one.get('debug')).toBe(true))
    expect(JSON.parse(table.get('runtime_settings.json') ?? '')).toEqual({ threads: 7, f16: true, debug: true })
    await using later = await openSettings(table, openBus(hub))
    expect([later.get('threads'), later.get('debug')]).toEqual([7, true])
  })

  it('that cannot be read keep the last good values, and are kept under another name', async () => {
    const table: Table = new Map([['runtime_settings.json', '{"threads":7}']])
    const hub = createLocalHub()
    const bus = openBus(hub)
    await using settings = await openSettings(table, openBus(hub))
    table.set('runtime_settings.json', '{broken')
    bus.publish('settings.changed', { keys: [] })
    await eventually(() => expect(settings.problems()).toHaveLength(1))
    expect(settings.get('threads')).toBe(7)
    await settings.update({ f16: true })
    expect([table.get('runtime_settings.json.corrupt'), settings.get('threads')]).toEqual(['{broken', 7])
  })

  it('stop the start where keys may be among what cannot be read', async () => {
    const table: Table = new Map([['api_keys.json', '{broken']])
    await expect(openSettings(table, openBus(createLocalHub()))).rejects.toThrow('the table of settings: api_keys.json')
  })
})

/** Model files in a table. */
function createModelTable(table: Table, bus: Bus): ConfigStore {
  let known = new Map<string, { readonly text: string; readonly models: readonly ModelConfig[] }>()

  /** Compares the table with what is known. */
  function look(): ModelChanges {
    const before = byName()
    known = new Map(
      [...table].map(([file, text]) => {
        const same = known.get(file)
        if (same?.text === text) return [file, same]
        const place = { file, folder: 'the table of models', modifiedAt: 0 }
        return [file, { text, models: parseModelFile(Buffer.from(text), place).models }]
      }),
    )
    const after = byName()
    return {
      added: [...after.keys()].filter((name) => !before.has(name)),
      changed: [...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name)),
      removed: [...before.keys()].filter((name) => !after.has(name)),
    }
  }
  const byName = (): Map<string, ModelConfig> =>
    new Map([...known.values()].flatMap(({ models }) => models.map((model) => [model.name, model])))
  const hasChanged = (changes: ModelChanges): boolean => Object.values(changes).flat().length > 0
  const end = bus.refreshWith('models.changed', () => {
    const changes = look()
    return hasChanged(changes) ? changes : undefined
  })
  look()
  return {
    list: () => [...byName().values()].sort((left, right) => compareBytes(left.name, right.name)),
    get: (name) => byName().get(name),
    async readText({ file }) {
      return table.get(file) ?? expect.unreachable()
    },
    async readBroken(file) {
      return table.get(file) ?? expect.unreachable()
    },
    problems: () =>
      [...table].flatMap(([file, text]) => [
        ...parseModelFile(Buffer.from(text), { file, folder: '', modifiedAt: 0 }).problems,
      ]),
    async reload() {
      const changes = look()
      if (hasChanged(changes)) bus.publish('models.changed', changes)
      return { ...changes, problems: [] }
    },
    close: end,
  }
}

describe('model files in a table', () => {
  const context = { threads: 3, defaultThreads: 2, f16: false, debug: false, contextSize: -1 }
  const notAsked = (): never => {
    throw new SvcError('internal', 'a reader must not write')
  }

  it('are resolved, listed and edited as those of a folder', async () => {
    const table: Table = new Map([
      ['m.yaml', '# mine\nname: m\nbackend: mock\n'],
      ['alias.yaml', 'name: other\nalias: m\n'],
      ['bad.yaml', 'name: [\n'],
    ])
    const store = createModelTable(table, openBus(createLocalHub()))
    const directory = createModelDirectory(store, context)
    expect(directory.resolve('m')).toMatchObject({ name: 'm', threads: 3 })
    expect(directory.resolve('other')?.name).toBe('m')
    expect(directory.resolve('nobody')).toBeUndefined()
    expect(toModelRows(store).map(({ name }) => name)).toEqual(['m', 'other'])
    const files = createConfigFiles({
      modelsPath: '/nowhere',
      readServerId: notAsked,
      modelFiles: store,
      keyFileGate: { admit: notAsked } as unknown as KeyFileGate,
      places: { reserves: notAsked },
      alone: notAsked,
    })
    expect(await files.read('m')).toMatchObject({ file: 'm.yaml', text: '# mine\nname: m\nbackend: mock\n' })
    expect(await files.read('bad')).toMatchObject({ file: 'bad.yaml', model: undefined, text: 'name: [\n' })
    await expect(files.read('nobody')).rejects.toMatchObject({ code: 'model_not_found' })
  })

  it('are the same for two servers', async () => {
    const [table, hub]: [Table, LocalHub] = [new Map(), createLocalHub()]
    const [own, other] = [openBus(hub), openBus(hub)]
    const [one, two] = [createModelTable(table, own), createModelTable(table, other)]
    const directory = createModelDirectory(two, context)
    const heard: ModelChanges[] = []
    other.subscribe('models.changed', (changes) => heard.push(changes))
    table.set('m.yaml', 'name: m\nbackend: mock\n')
    await one.reload()
    await eventually(() => expect(heard).toEqual([{ added: ['m'], changed: [], removed: [] }]))
    expect(directory.resolve('m')?.name).toBe('m')
    table.delete('m.yaml')
    await one.reload()
    await eventually(() => expect(heard.at(-1)).toEqual({ added: [], changed: [], removed: ['m'] }))
    expect(directory.resolve('m')).toBeUndefined()
  })
})

/** Corpora in a table of lines. */
function createCorpusTable(table: Map<string, string[]>): CorpusStore {
  return {
    async *read(name) {
      for (const [index, text] of (table.get(name) ?? []).entries()) {
        yield { number: index + 1, text, isTorn: false } satisfies CorpusLine
      }
    },
    append: async (name, lines) => void table.set(name, [...(table.get(name) ?? []), ...lines]),
    async replace(name, lines) {
      const all: string[] = []
      for await (const line of lines) all.push(line)
      table.set(name, all)
    },
    remove: async (name) => void table.delete(name),
  }
}

it('router corpora in a table are learnt, found again after a restart, and cleared', async () => {
  const table = new Map<string, string[]>()
  const vectors = new Map([
    ['fix my code', [1, 0]],
    ['three times four', [0, 1]],
  ])
  const embedder = {
    embed: async (texts: readonly string[]) =>
      texts.map((text) => Float32Array.from(vectors.get(text.trim()) ?? [1, 1])),
  }
  const open = () => {
    const corpora = createCorpora({ store: createCorpusTable(table), logger })
    return { corpora, corpus: corpora.open({ name: 'auto', embedder, embeddingModel: 'e', fingerprint: 'f' }) }
  }
  const labels = new Set(['code', 'math'])
  const first = open()
  await first.corpus.add(
    [
      { text: 'fix my code', labels: ['code'] },
      { text: 'three times four', labels: ['math'] },
    ],
    { labels, signal },
  )
  await first.corpora.close()
  const second = open()
  await second.corpus.sync({ signal })
  const [nearest] = await second.corpus.findNeighbors(Float32Array.from([0, 1]), { count: 1, signal })
  expect(nearest?.labels).toEqual(['math'])
  expect(await second.corpus.clear({ signal })).toBe(2)
  expect(table.get('auto') ?? []).toEqual([])
  await second.corpora.close()
})
