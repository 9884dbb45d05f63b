import { link, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { chatGguf, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createConfigStore } from '../../catalog/config-store.ts'
import type { OperationState, OperationView } from '../../operations/operation.ts'
import { hashWriter } from '../../operations/server-id.ts'
import { stagingFolder } from '../model-commit.ts'
import { findUnused } from './find-unused.ts'
import { type PruneParts, pruneFiles } from './prune-files.ts'

const signal = AbortSignal.timeout(120_000)
const HOURS = 3_600_000
const KEY = 'a'.repeat(64)
const SERVER = 'this server'

interface World extends AsyncDisposable {
  readonly parts: PruneParts
  readonly join: (path: string) => string
  /** Files that the server has noted as fetched. */
  readonly noted: Map<string, number>
  write(path: string, content?: string | Uint8Array, ageMs?: number): Promise<void>
  /** Writes weights that this server has fetched. */
  fetch(path: string, content?: string | Uint8Array): Promise<void>
  /** The unused files as `kind path`, with `+` for files that are deleted without being named. */
  find(): Promise<readonly string[]>
  left(): Promise<readonly string[]>
}

async function openWorld({
  operation,
  inUse = [],
  reserved = [],
  settings = [],
}: {
  readonly operation?: { readonly state: OperationState; readonly name: string; readonly id?: string }
  readonly settings?: readonly string[]
  readonly inUse?: readonly string[]
  readonly reserved?: readonly string[]
} = {}): Promise<World> {
  const folder = await tempDir()
  const noted = new Map<string, number>()
  const modelFiles = createConfigStore({ folder: folder.path })
  const view = operation && {
    ...{
      jobId: 'job',
      subject: 'model',
      action: 'installation',
      fullName: `g@${operation.id ?? operation.name}`,
      details: {},
    },
    state: operation.state,
    position: 1,
    createdAt: 0,
    cancellable: true,
    progress: { percent: 0, message: '' },
  }
  const isFinished = operation?.state === 'paused'
  const parts: PruneParts = {
    modelsPath: folder.path,
    modelFiles,
    listFile: undefined,
    serverId: SERVER,
    clock: { now: Date.now },
    known: {
      find: async () => [],
      list: async () => noted,
      add: async () => undefined,
      async remove(paths) {
        for (const path of paths) noted.delete(path)
      },
    },
    operations: {
      list: () => (view === undefined || isFinished ? [] : [view as OperationView]),
      history: async () => (view !== undefined && isFinished ? [view as OperationView] : []),
    },
    places: {
      secretsPath: '',
      holdsFile: async (real) => reserved.some((path) => folder.join(path) === real),
      reserves: () => false,
    },
    namedBySettings: () => settings,
    isInUse: (model) => inUse.includes(model),
    changed: () => undefined,
  }
  const world: World = {
    parts,
    noted,
    join: (path) => folder.join(path),
    async write(path, content = 'weights', ageMs = 2 * HOURS) {
      await mkdir(dirname(folder.join(path)), { recursive: true })
      await writeFile(folder.join(path), content)
      const then = (Date.now() - ageMs) / 1000
      await utimes(folder.join(path), then, then)
    },
    async fetch(path, content) {
      await world.write(path, content)
      noted.set(folder.join(path), Date.now())
    },
    async find() {
      const { files } = await findUnused(parts, { signal })
      return files.map(({ kind, path, isSelected }) => `${isSelected ? '+' : ''}${kind} ${path}`)
    },
    async left() {
      const entries = await readdir(folder.path, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => !entry.isDirectory())
      return files.map((file) => `${file.parentPath}/${file.name}`.slice(folder.path.length + 1)).sort()
    },
    async [Symbol.asyncDispose]() {
      modelFiles.close()
      await folder[Symbol.asyncDispose]()
    },
  }
  return world
}

const model = (file: string, more = ''): string => `name: m\nbackend: mock\nparameters: { model: ${file} }\n${more}`

describe('files that nothing needs', () => {
  it.each<[string, (world: World) => Promise<void>, readonly string[]]>([
    ['weights that were installed before', (world) => world.fetch('old.bin'), ['+variant old.bin']],
    [
      'an old variant that serves as a model of its own',
      (world) => world.fetch('old.gguf', chatGguf()),
      ['+variant old.gguf'],
    ],
    ['an old variant in a folder', (world) => world.fetch('a/b/old.safetensors'), ['+variant a/b/old.safetensors']],
    ['weights of somebody else', (world) => world.write('own/own.safetensors'), ['other own/own.safetensors']],
    [
      'the first part of a download',
      async (world) => {
        await world.write('w.bin.partial')
        await world.write('w.bin.partial.json', '{}')
      },
      ['+partial w.bin.partial'],
    ],
    [
      'what an installation has left',
      (world) => world.write('.staging/gone/w.bin.partial'),
      ['+partial .staging/gone'],
    ],
    [
      'a part of a snapshot',
      (world) => world.write(`.artifacts/.partial/${KEY}.${hashWriter(SERVER)}/snapshot/a`, '', 0),
      [`+partial .artifacts/.partial/${KEY}.${hashWriter(SERVER)}`],
    ],
    [
      'a part of a snapshot of a server that is gone',
      (world) => world.write(`.artifacts/.partial/${KEY}.${'0'.repeat(16)}/snapshot/a`),
      [`+partial .artifacts/.partial/${KEY}.${'0'.repeat(16)}`],
    ],
    [
      'a snapshot without a model',
      (world) => world.write(`.artifacts/huggingface/${KEY}/manifest.json`, '{}'),
      [`+snapshot .artifacts/huggingface/${KEY}`],
    ],
  ])('are found: %s', async (_what, make, expected) => {
    await using world = await openWorld()
    await make(world)
    expect(await world.find()).toEqual(expected)
  })

  it.each<[string, (world: World) => Promise<void>]>([
    [
      'weights of a model file',
      async (world) => {
        await world.fetch('a/w.bin')
        await world.write('m.yaml', model('a/w.bin'))
      },
    ],
    [
      'weights by a path from the root',
      async (world) => {
        await world.fetch('a/w.bin')
        await world.write('m.yaml', model(world.join('a/w.bin')))
      },
    ],
    [
      'weights by another way to the same file',
      async (world) => {
        await world.fetch('a/w.bin')
        await world.write('m.yaml', model('./a/../a//w.bin'))
      },
    ],
    [
      'weights of another case, for file systems without cases',
      async (world) => {
        await world.fetch('W.bin')
        await world.write('m.yaml', model('w.BIN'))
      },
    ],
    [
      'weights with a letter that is composed otherwise',
      async (world) => {
        await world.fetch('\u00e9.bin')
        await world.write('m.yaml', model('"e\\u0301.bin"'))
      },
    ],
    [
      'every part of weights in parts',
      async (world) => {
        for (const part of [1, 2, 3]) await world.fetch(`w-0000${part}-of-00003.gguf`)
        await world.write('m.yaml', model('w-00001-of-00003.gguf'))
      },
    ],
    [
      'everything below a folder that a model file names',
      async (world) => {
        await world.fetch('voice/deep/w.onnx')
        await world.write('m.yaml', model('voice'))
      },
    ],
    [
      'a projector, a draft, adapters',
      async (world) => {
        for (const name of ['p', 'd', 'l', 'x']) await world.fetch(`${name}.gguf`)
        await world.write(
          'm.yaml',
          model('none', 'mmproj: p.gguf\ndraft_model: d.gguf\nlora_adapters: [l.gguf]\nlora_adapter: x.gguf\n'),
        )
      },
    ],
    [
      'a file behind an option of an engine',
      async (world) => {
        await world.fetch('o.bin')
        await world.write('m.yaml', model('none', 'options: ["vae:o.bin"]\n'))
      },
    ],
    [
      'a file behind a key that nobody knows',
      async (world) => {
        await world.fetch('k.bin')
        await world.write('m.yaml', model('none', 'engine_args: { deep: [{ file: k.bin }] }\n'))
      },
    ],
    [
      'a file that a model file which does not load names',
      async (world) => {
        await world.fetch('a/w.bin')
        await world.write('m.yaml', 'name: [\nparameters: { model: a/w.bin }')
      },
    ],
    [
      'a folder that a model file which does not load names',
      async (world) => {
        await world.fetch('voice/w.bin')
        await world.write('m.yaml', 'name: [\nparameters: { model: voice }')
      },
    ],
    ...[
      ['before it', `${model('none')}---\nname: n\nbackend: mock\ncontext_size: nope\nparameters: { model: voice }\n`],
      ['behind it', `name: n\nbackend: mock\ncontext_size: nope\nparameters: { model: voice }\n---\n${model('none')}`],
      ['with a syntax error', `${model('none')}---\nname: [\nparameters: { model: voice }\n`],
      ['without a name', `${model('none')}---\nbackend: mock\nparameters: { model: voice }\n`],
      ['of the same name', `${model('none')}---\n${model('voice')}`],
    ].map(([what, text = '']): [string, (world: World) => Promise<void>] => [
      `a folder that a broken document names, whole ones ${what}`,
      async (world) => {
        await world.fetch('voice/w.bin')
        await world.write('m.yaml', text)
      },
    ]),
    [
      'weights of a graph that lie beside it',
      async (world) => {
        for (const name of ['a/net.onnx_data', 'b/NET.ONNX_data', 'w.onnx_data']) await world.fetch(name)
        await world.write('m.yaml', model('a/net.onnx', 'mmproj: b/net.onnx\noptions: ["vae:w.onnx"]\n'))
      },
    ],
    [
      'a file of a record without its model file',
      async (world) => {
        await world.fetch('w.bin')
        await world.write('._gallery_m.yaml', 'name: m\nfiles: [{ filename: w.bin, uri: "hf://a/b/w.bin" }]\n')
      },
    ],
    [
      'the target of a link',
      async (world) => {
        await world.fetch('real/w.bin')
        await symlink(world.join('real/w.bin'), world.join('name.bin'))
      },
    ],
    [
      'everything below the target of a link',
      async (world) => {
        await world.fetch('real/deep/w.bin')
        await symlink(world.join('real'), world.join('name'))
      },
    ],
    [
      'the target of a link in a hidden folder',
      async (world) => {
        await world.fetch('w.bin')
        await mkdir(world.join('.mine'))
        await symlink('../w.bin', world.join('.mine/name'))
      },
    ],
    [
      'a link',
      async (world) => {
        await world.write('.mine/w.txt')
        await symlink('.mine/w.txt', world.join('w.bin'))
      },
    ],
    ['a model of its own', (world) => world.write('own.gguf', chatGguf())],
    [
      'a model of its own in place of one that was fetched',
      async (world) => {
        await world.write('own.gguf', chatGguf())
        world.noted.set(world.join('own.gguf'), Date.now() - HOURS)
      },
    ],
    [
      'a snapshot of a model file',
      async (world) => {
        await world.write(`.artifacts/huggingface/${KEY}/manifest.json`, '{}')
        await world.write(
          'm.yaml',
          model(
            'none',
            `artifacts: [{ name: main, target: model, source: { type: huggingface, repo: a/b }, resolved: { cache_key: ${KEY} } }]\n`,
          ),
        )
      },
    ],
    [
      'a snapshot that a link leads into',
      async (world) => {
        await world.write(`.artifacts/huggingface/${KEY}/snapshot/w.bin`)
        await symlink(world.join(`.artifacts/huggingface/${KEY}/snapshot`), world.join('name'))
      },
    ],
    ['a snapshot of this hour', (world) => world.write(`.artifacts/huggingface/${KEY}/manifest.json`, '{}', 0)],
    [
      'a part of a snapshot that another server writes',
      (world) => world.write(`.artifacts/.partial/${KEY}.${'0'.repeat(16)}/a`, '', 0),
    ],
    [
      'files of an installation that another server writes',
      (world) => world.write('.staging/other/w.bin.partial', '', 0),
    ],
    ['an installation that the next start finishes', (world) => world.write('.staging/m/commit.json', '{}')],
    ['an upload', (world) => world.write('.uploads/0/1/w.gguf')],
    ['hidden files', (world) => world.write('.hidden/w.bin')],
    [
      'files that are not weights',
      async (world) => {
        for (const name of ['notes.txt', 'm.tmpl', 'terms.jsonl', 'data/list.csv', 'x.yaml.bak'])
          await world.fetch(name)
      },
    ],
    ['a partial file that no download describes', (world) => world.write('w.bin.partial')],
    [
      'a partial file that is written now',
      async (world) => {
        await world.write('w.bin.partial', '', 0)
        await world.write('w.bin.partial.json', '{}', 0)
      },
    ],
  ])('are not: %s', async (_what, make) => {
    await using world = await openWorld()
    await make(world)
    expect(await world.find()).toEqual([])
  })

  it('do not include files of the server, nor a model in memory', async () => {
    await using world = await openWorld({ reserved: ['data/w.bin'], inUse: ['old.gguf'] })
    await world.fetch('data/w.bin')
    await world.fetch('old.gguf', chatGguf())
    expect(await world.find()).toEqual([])
  })

  it.each(['queued', 'running'] as const)('leave everything to an installation that is %s', async (state) => {
    await using world = await openWorld({ operation: { state, name: 'm' } })
    await world.fetch('old.bin')
    await world.write(`.staging/m.${hashWriter(SERVER)}/w.bin.partial`)
    await world.write('.staging/gone/w.bin.partial')
    await world.write(`.artifacts/huggingface/${KEY}/manifest.json`, '{}')
    await world.write(`.artifacts/.partial/${KEY}.${hashWriter(SERVER)}/a`)
    expect(await world.find()).toEqual(['+partial .staging/gone'])
    const { installing, removed } = await pruneFiles(undefined, world.parts, { signal })
    expect([installing, removed.map(({ path }) => path)]).toEqual([['m'], ['.staging/gone']])
  })

  it.each(['paused', 'failed'] as const)('keep the data of a %s installation unless it is named', async (state) => {
    await using world = await openWorld({ operation: { state, name: 'm' } })
    const staging = `.staging/m.${hashWriter(SERVER)}`
    await world.write(`${staging}/w.bin.partial`, '', 0)
    expect(await world.find()).toEqual([`partial ${staging}`])
    expect((await pruneFiles(undefined, world.parts, { signal })).removed).toEqual([])
    await pruneFiles([staging], world.parts, { signal })
    expect(await world.left()).toEqual([])
  })

  it.each([
    ['Qwen', 'QWEN'],
    ['Qwen', 'qwen'],
    ['QWEN', 'Qwen'],
    ['Émile', 'émile'],
    ['a/B c', 'A/b C'],
    ['N'.repeat(190), 'n'.repeat(190)],
  ])('keep the data of an installation of %s that was asked for as %s', async (name, id) => {
    for (const state of ['queued', 'running', 'paused', 'failed'] as const) {
      await using world = await openWorld({ operation: { state, name, id } })
      await world.write(`${relative(world.join('.'), stagingFolder(world.parts, name))}/w.bin.partial`)
      expect((await pruneFiles(undefined, world.parts, { signal })).removed).toEqual([])
    }
  })

  it('take old data of another server for that of nobody, and not for that of an installation here', async () => {
    await using world = await openWorld({ operation: { state: 'running', name: 'm' } })
    await world.write(`.staging/m.${hashWriter('another')}/w.bin.partial`)
    await world.write(`.staging/n.${hashWriter('another')}/w.bin.partial`, '', 0)
    expect(await world.find()).toEqual([`+partial .staging/m.${hashWriter('another')}`])
  })

  it.each(['old.gguf', 'OLD.gguf', './old.gguf'])('do not include a model that a setting names as %s', async (name) => {
    await using world = await openWorld({ settings: ['', name] })
    await world.fetch('old.gguf', chatGguf())
    expect(await world.find()).toEqual([])
  })

  it('are not told where the models folder cannot be read', async () => {
    await using folder = await tempDir()
    await writeFile(folder.join('file'), '')
    await using world = await openWorld()
    const parts = { ...world.parts, modelsPath: folder.join('file') }
    await expect(findUnused(parts, { signal })).rejects.toMatchObject({ code: 'file_failed' })
    expect(await findUnused({ ...world.parts, modelsPath: folder.join('none') }, { signal })).toMatchObject({
      files: [],
    })
  })

  it('are not told where a model file cannot be read', async () => {
    await using world = await openWorld()
    await world.fetch('old.bin')
    await mkdir(world.join('odd.yaml'))
    await expect(world.find()).rejects.toMatchObject({ kind: 'conflict', code: 'model_file_unreadable' })
  })
})

describe('pruning', () => {
  const installation = (jobId: string): OperationView => ({
    jobId,
    subject: 'model',
    action: 'installation',
    fullName: 'g@n',
    details: {},
    state: 'running',
    position: 1,
    createdAt: 0,
    cancellable: true,
    progress: { percent: 0, message: '' },
    rate: {},
  })

  /** Three unused files and operations that differ at each look. */
  async function openBusyWorld(looks: readonly (readonly string[])[]): Promise<World> {
    const world = await openWorld()
    let look = 0
    const list = (): readonly OperationView[] => {
      const jobs = looks[Math.min(look, looks.length - 1)] ?? []
      look += 1
      return jobs.map(installation)
    }
    for (const name of ['x1', 'x2', 'x3']) await world.write(`.staging/${name}/w.bin.partial`)
    return { ...world, parts: { ...world.parts, operations: { ...world.parts.operations, list } } }
  }

  it.each<[string, readonly (readonly string[])[], number, 'installation' | undefined]>([
    ['goes on while nothing is installed', [[]], 3, undefined],
    [
      'goes on while operations change places',
      [
        ['a', 'b'],
        ['b', 'a'],
        ['a', 'b'],
        ['b', 'a'],
      ],
      3,
      undefined,
    ],
    ['goes on where an operation ends', [['a', 'b'], ['a'], ['a'], []], 3, undefined],
    ['stops for an installation that was asked for while the files were found', [[], ['a']], 0, 'installation'],
    ['stops for one that was asked for between two files', [[], [], [], ['a']], 1, 'installation'],
    ['stops for one that takes the place of another', [['a'], ['a'], ['a'], ['b']], 1, 'installation'],
  ])('%s', async (_what, looks, count, stopped) => {
    await using world = await openBusyWorld(looks)
    const found = await pruneFiles(undefined, world.parts, { signal })
    expect([found.removed.length, found.stopped, found.failed]).toEqual([count, stopped, []])
  })

  it('that its client leaves midway keeps the records of what is gone', async () => {
    await using world = await openWorld()
    const left = new AbortController()
    for (const name of ['x1.bin', 'x2.bin', 'x3.bin']) await world.fetch(name)
    let looks = 0
    const list = (): readonly OperationView[] => {
      looks += 1
      if (looks === 4) left.abort(new Error('the client left'))
      return []
    }
    const changed: (readonly string[])[] = []
    const parts = {
      ...world.parts,
      operations: { ...world.parts.operations, list },
      changed: changed.push.bind(changed),
    }
    const { removed, stopped } = await pruneFiles(undefined, parts, { signal: left.signal })
    expect([removed.map(({ path }) => path), stopped]).toEqual([['x1.bin'], 'aborted'])
    expect(await world.left()).toEqual(['x2.bin', 'x3.bin'])
    expect([...world.noted.keys()]).toEqual([world.join('x2.bin'), world.join('x3.bin')])
    expect(changed).toEqual([['x1.bin']])
  })

  it('deletes what is selected, with empty folders, and nothing else', async () => {
    await using world = await openWorld()
    await world.fetch('a/b/old.bin')
    await world.fetch('used/w.bin')
    await world.write('m.yaml', model('used/w.bin'))
    await world.write('own/own.bin')
    await world.write('notes.txt')
    await world.write(`.artifacts/huggingface/${KEY}/manifest.json`, '{}')
    await world.write(`.artifacts/huggingface/${KEY}/snapshot/w.bin`)
    const { removed, failed } = await pruneFiles(undefined, world.parts, { signal })
    expect(removed.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
      [`.artifacts/huggingface/${KEY}`, 9],
      ['a/b/old.bin', 7],
    ])
    expect(failed).toEqual([])
    expect(await world.left()).toEqual(['m.yaml', 'notes.txt', 'own/own.bin', 'used/w.bin'])
    expect(await readdir(world.join('.'))).not.toContain('a')
    expect(world.noted.size).toBe(1)
  })

  it('deletes named files of somebody else, and refuses names that are not unused', async () => {
    await using world = await openWorld()
    await world.write('own/own.bin')
    await world.write('used.bin')
    await world.write('m.yaml', model('used.bin'))
    for (const name of ['used.bin', '../x', '/etc/passwd', 'm.yaml', 'own', '', 'own/own.bin/']) {
      await expect(pruneFiles(['own/own.bin', name], world.parts, { signal })).rejects.toMatchObject({
        code: 'file_not_unused',
      })
    }
    await pruneFiles(['own/own.bin', 'own/own.bin'], world.parts, { signal })
    expect(await world.left()).toEqual(['m.yaml', 'used.bin'])
  })

  it('deletes one name of a content and keeps the other', async () => {
    await using world = await openWorld()
    await world.write('m.yaml', model('used.bin'))
    await world.write('used.bin')
    await link(world.join('used.bin'), world.join('old.bin'))
    world.noted.set(world.join('old.bin'), Date.now())
    await pruneFiles(undefined, world.parts, { signal })
    expect(await world.left()).toEqual(['m.yaml', 'used.bin'])
  })

  it('never follows a link in a folder that it deletes', async () => {
    await using world = await openWorld()
    await using outside = await tempDir()
    await writeFile(outside.join('kept.bin'), 'kept')
    await world.write('.staging/gone/w.bin')
    await symlink(outside.path, world.join('.staging/gone/out'))
    await pruneFiles(undefined, world.parts, { signal })
    expect([await world.left(), await readdir(outside.path)]).toEqual([[], ['kept.bin']])
  })
})
