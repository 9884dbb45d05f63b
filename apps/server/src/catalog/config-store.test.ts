import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { chatGguf, embeddingGguf, ggufBytes, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createBus } from '../bus/create-bus.ts'
import type { ModelChanges } from '../bus/subjects.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import type { LogFields, Logger } from '../ports.ts'
import { formatProblem } from './config-problem.ts'
import { createConfigStore } from './config-store.ts'
import type { ConfigStore } from './folder-store.ts'
import type { DemoModelSource } from './loose-weights.ts'
import { type ModelFolder, openModelFolder } from './model-folder.ts'
import { listUsecases } from './usecases.ts'

const names = (store: ConfigStore, includeReferenced = false) =>
  store.list({ includeReferenced }).map(({ name }) => name)
const problems = (store: ConfigStore) => store.problems().map(formatProblem)

function yaml(name: string, more = ''): string {
  return `name: ${name}\nbackend: test\nparameters: {model: ${name}.w}\n${more}`
}

describe('listed models', () => {
  it('every YAML file of the folder itself, by the name inside it, in byte order', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('z.yaml'), yaml('apple'))
    writeFileSync(dir.join('a.yml'), yaml('Zed'))
    writeFileSync(dir.join('B.YAML'), yaml('10b'))
    writeFileSync(dir.join('.hidden.yaml'), yaml('hidden'))
    writeFileSync(dir.join('notes.md'), 'name: notes')
    mkdirSync(dir.join('sub'))
    writeFileSync(dir.join('sub/deep.yaml'), yaml('deep'))
    mkdirSync(dir.join('folder.yaml'))
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['10b', 'Zed', 'apple'])
    expect(store.get('apple')).toMatchObject({ file: 'z.yaml', source: 'yaml', folder: dir.path })
    expect(store.problems()).toEqual([])
  })

  it('every model of a file that is a list or has several documents', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('list.yaml'), '- {name: a, backend: test}\n- {name: b, backend: test}\n')
    writeFileSync(dir.join('documents.yaml'), `${yaml('c')}---\n${yaml('d')}`)
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['a', 'b', 'c', 'd'])
    expect(store.get('b')).toBe(store.get('b'))
    const [first] = [store.get('a')]
    writeFileSync(
      dir.join('list.yaml'),
      '- {name: a, backend: test}\n- {name: e, backend: test}\n- {name: c, backend: x}\n',
    )
    expect(names(store)).toEqual(['a', 'c', 'd', 'e'])
    expect(store.get('a')).not.toBe(first)
    expect(store.get('b')).toBeUndefined()
    expect(problems(store)).toEqual(['list.yaml: name: "c" is already the name of the model in documents.yaml'])
    rmSync(dir.join('documents.yaml'))
    expect(names(store)).toEqual(['a', 'c', 'e'])
  })

  it('no model of an index of a gallery, and one sentence about it', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('index.yaml'), '- {name: a, url: "github:o/r/a.yaml"}\n- {name: b, files: []}\n')
    writeFileSync(dir.join('m.yaml'), yaml('m'))
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['m'])
    expect(problems(store)).toEqual([expect.stringMatching(/^index\.yaml:1: holds 2 entries of a gallery/)])
  })

  it('nothing while the folder does not exist, and its models once it does', async () => {
    await using dir = await tempDir()
    const store = createConfigStore({ folder: dir.join('later') })
    expect(names(store)).toEqual([])
    mkdirSync(dir.join('later'))
    writeFileSync(dir.join('later/a.yaml'), yaml('a'))
    expect(names(store)).toEqual(['a'])
  })

  it('a dropped GGUF file under its file name, with the facts of its header', async () => {
    await using dir = await tempDir()
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual([])
    writeFileSync(dir.join('Chat.Q4.gguf'), chatGguf())
    writeFileSync(dir.join('vectors.GGUF'), embeddingGguf())
    expect(names(store)).toEqual(['Chat.Q4.gguf', 'vectors.GGUF'])
    const chat = store.get('Chat.Q4.gguf')
    expect(chat).toMatchObject({
      source: 'file',
      file: 'Chat.Q4.gguf',
      backend: 'llama',
      parameters: { model: 'Chat.Q4.gguf' },
      gguf: { architecture: 'llama', contextLength: 2048, hasChatTemplate: true },
    })
    expect(chat && listUsecases(chat)).toContain('chat')
    const vectors = store.get('vectors.GGUF')
    expect(vectors && listUsecases(vectors)).toEqual(['embeddings', 'tokenize'])
  })

  it('a GGUF file without an architecture only for other engines than ours', async () => {
    await using dir = await tempDir()
    const weights = ggufBytes({ values: { 'general.file_type': ['u32', 7] } })
    for (const name of ['flux', 'vae', 'loose']) writeFileSync(dir.join(`${name}.gguf`), weights)
    const entries = [
      '{name: image, backend: stablediffusion-ggml, parameters: {model: flux.gguf}, options: ["vae_path:vae.gguf"]}',
      '{name: text, backend: llama, parameters: {model: flux.gguf}}',
      '{name: other, backend: cuda12-llama-cpp, parameters: {model: flux.gguf}}',
      '{name: open, parameters: {model: flux.gguf}}',
    ]
    writeFileSync(dir.join('m.yaml'), entries.map((entry) => `- ${entry}\n`).join(''))
    const store = createConfigStore({ folder: dir.path })
    expect(names(store, true)).toEqual(['image', 'open', 'other', 'text'])
    const faults = store.list().map(({ name, weightsError }) => [name, weightsError])
    const fault = expect.stringContaining('file "flux.gguf" does not name its architecture')
    expect(faults).toEqual([
      ['image', undefined],
      ['open', fault],
      ['other', fault],
      ['text', fault],
    ])
    expect(problems(store).filter((problem) => problem.includes('.gguf:'))).toEqual([
      expect.stringMatching(/^loose\.gguf: does not name its architecture/),
    ])
  })

  it('no GGUF file that a model file uses, unless asked for; by its name it can be used', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('weights.gguf'), chatGguf())
    writeFileSync(dir.join('draft.gguf'), chatGguf())
    writeFileSync(dir.join('loose.gguf'), chatGguf())
    writeFileSync(dir.join('m.yaml'), 'name: nice\nparameters: {model: weights.gguf}\ndraft_model: draft.gguf')
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['loose.gguf', 'nice'])
    expect(names(store, true)).toEqual(['draft.gguf', 'loose.gguf', 'nice', 'weights.gguf'])
    expect(store.get('weights.gguf')?.source).toBe('file')
    rmSync(dir.join('m.yaml'))
    expect(names(store)).toEqual(['draft.gguf', 'loose.gguf', 'weights.gguf'])
  })

  it('base models, which the log names once', async () => {
    await using dir = await tempDir()
    const lines: unknown[] = []
    const ignore = () => {}
    const logger = { debug: ignore, info: (fields: object) => lines.push(fields), warn: ignore, error: ignore }
    const base = ggufBytes({ values: { 'general.architecture': ['text', 'llama'] } })
    writeFileSync(dir.join('base.gguf'), base)
    writeFileSync(dir.join('chat.gguf'), chatGguf())
    writeFileSync(dir.join('own.yaml'), 'name: own\nparameters: {model: base.gguf}\ntemplate: {chat: "{{.Input}}"}')
    const store = createConfigStore({ folder: dir.path, logger })
    expect(names(store)).toEqual(['chat.gguf', 'own'])
    writeFileSync(dir.join('plain.yaml'), 'name: plain\nparameters: {model: base.gguf}')
    expect(names(store)).toEqual(['chat.gguf', 'own', 'plain'])
    writeFileSync(dir.join('other.yaml'), 'name: other\nparameters: {model: chat.gguf}')
    names(store)
    expect(lines).toEqual([{ model: 'plain' }])
  })

  it('no projectors, adapters, empty vocabularies and later parts', async () => {
    await using dir = await tempDir()
    const of = (architecture: string, type?: string) =>
      ggufBytes({
        values: { 'general.architecture': ['text', architecture], ...(type && { 'general.type': ['text', type] }) },
      })
    writeFileSync(dir.join('mmproj.gguf'), of('clip'))
    writeFileSync(dir.join('lora.gguf'), of('llama', 'adapter'))
    writeFileSync(dir.join('vocab.gguf'), ggufBytes({ tensors: [], data: 0 }))
    writeFileSync(dir.join('big-00001-of-00002.gguf'), chatGguf())
    writeFileSync(dir.join('big-00002-of-00002.gguf'), chatGguf())
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['big-00001-of-00002.gguf'])
    expect(problems(store)).toEqual([])
  })
})

describe('problems of a folder', () => {
  it('is told without keeping other files from working', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('bad.yaml'), 'name: [')
    writeFileSync(dir.join('typed.yaml'), 'name: typed\nthreads: many')
    writeFileSync(dir.join('deep.yaml'), '['.repeat(10_000))
    writeFileSync(dir.join('big.yaml'), `name: big\nusage: "${'x'.repeat(1 << 20)}"`)
    writeFileSync(dir.join('cut.gguf'), chatGguf().subarray(0, 150))
    writeFileSync(dir.join('text.gguf'), 'x'.repeat(100))
    writeFileSync(dir.join('ok.yaml'), yaml('ok'))
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['ok'])
    expect(problems(store)).toEqual([
      'bad.yaml:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
      'big.yaml: is larger than 1048576 bytes',
      'deep.yaml:1: is nested deeper than 64 levels',
      'typed.yaml:2: threads: expected a whole number, found text',
      'cut.gguf: is cut off',
      'text.gguf: is not a GGUF file',
    ])
  })

  it('are names used twice: the first file has it', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('b.yaml'), yaml('same', 'description: second'))
    writeFileSync(dir.join('a.yaml'), yaml('same', 'description: first'))
    const store = createConfigStore({ folder: dir.path })
    expect(store.list().map(({ description }) => description)).toEqual(['first'])
    expect(problems(store)).toEqual(['b.yaml: name: "same" is already the name of the model in a.yaml'])
  })

  it('include aliases of missing models, of aliases and of deleted files', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('m.yaml'), yaml('m'))
    writeFileSync(dir.join('ok.yaml'), 'name: ok\nalias: m')
    writeFileSync(dir.join('chain.yaml'), 'name: chain\nalias: ok')
    writeFileSync(dir.join('lost.yaml'), 'name: lost\nalias: nowhere')
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['chain', 'lost', 'm', 'ok'])
    expect(problems(store).sort()).toEqual([
      'chain.yaml: alias: "ok" is an alias itself',
      'lost.yaml: alias: there is no model "nowhere"',
    ])
  })

  it('are weights that are missing or damaged', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('half.gguf'), chatGguf().subarray(0, 100))
    writeFileSync(dir.join('a.yaml'), 'name: a\nparameters: {model: half.gguf}')
    writeFileSync(dir.join('b.yaml'), 'name: b\nparameters: {model: none.gguf}')
    writeFileSync(dir.join('c.yaml'), 'name: c\nbackend: whisper\nparameters: {model: none.gguf}')
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['a', 'b', 'c'])
    expect(store.get('a')?.weightsError).toBe('file "half.gguf" is cut off')
    expect(store.get('b')).toMatchObject({ weightsMissing: true })
    expect(store.get('b')?.weightsError).toBeUndefined()
    expect(problems(store)).toEqual([
      'a.yaml: parameters.model: file "half.gguf" is cut off',
      'b.yaml: parameters.model: file "none.gguf" is not in the models folder',
    ])
    writeFileSync(dir.join('none.gguf'), chatGguf())
    expect(store.get('b')?.gguf?.contextLength).toBe(2048)
    expect(store.get('b')?.weightsMissing).toBeUndefined()
  })

  it('include links that lead out of the folder, pipes and invalid names', async () => {
    await using dir = await tempDir()
    await using other = await tempDir()
    writeFileSync(other.join('x.yaml'), yaml('stolen'))
    writeFileSync(other.join('x.gguf'), chatGguf())
    writeFileSync(dir.join('real.txt'), yaml('linked'))
    symlinkSync(other.join('x.yaml'), dir.join('out.yaml'))
    symlinkSync(other.join('x.gguf'), dir.join('out.gguf'))
    symlinkSync('real.txt', dir.join('in.yaml'))
    execFileSync('mkfifo', [dir.join('pipe.yaml'), dir.join('pipe.gguf')])
    writeFileSync(dir.join('-flag.yaml'), yaml('flag'))
    writeFileSync(dir.join('turn\u202e.gguf'), chatGguf())
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['linked'])
    expect(problems(store)).toEqual([
      '-flag.yaml: has a name that cannot be used',
      'out.yaml: is a link to outside the folder',
      'pipe.yaml: is not a regular file',
      'out.gguf: is a link to outside the folder',
      'pipe.gguf: is not a regular file',
      'turn%E2%80%AE.gguf: has a name that no model can have',
    ])
  })
})

describe('changes on disk', () => {
  it('acts on the next call: edited, also with the same length at the same time', async () => {
    await using dir = await tempDir()
    const store = createConfigStore({ folder: dir.path })
    const at = new Date()
    for (const threads of [1, 2, 3, 4, 5]) {
      writeFileSync(dir.join('m.yaml'), yaml('m', `threads: ${threads}`))
      utimesSync(dir.join('m.yaml'), at, at)
      expect(store.get('m')?.threads).toBe(threads)
    }
  })

  it('acts on the next call: replaced by a rename, renamed inside, removed', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('m.yaml'), yaml('m'))
    const store = createConfigStore({ folder: dir.path })
    expect(store.get('m')).toBeDefined()
    writeFileSync(dir.join('.tmp'), yaml('m', 'threads: 7'))
    renameSync(dir.join('.tmp'), dir.join('m.yaml'))
    expect(store.get('m')?.threads).toBe(7)
    writeFileSync(dir.join('m.yaml'), yaml('n'))
    expect(store.get('m')).toBeUndefined()
    expect(store.get('n')).toBeDefined()
    writeFileSync(dir.join('other.yaml'), yaml('later'))
    expect(store.get('later')).toBeDefined()
    rmSync(dir.join('m.yaml'))
    expect(store.get('n')).toBeUndefined()
    expect(names(store)).toEqual(['later'])
  })

  it('is the same object until then', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('m.yaml'), 'name: m\nparameters: {model: w.gguf}')
    writeFileSync(dir.join('w.gguf'), chatGguf())
    writeFileSync(dir.join('loose.gguf'), chatGguf())
    const store = createConfigStore({ folder: dir.path })
    const [m, loose, listed] = [store.get('m'), store.get('loose.gguf'), store.list()]
    writeFileSync(dir.join('m.yaml'), readFileSync(dir.join('m.yaml')))
    writeFileSync(dir.join('loose.gguf'), chatGguf())
    writeFileSync(dir.join('n.yaml'), yaml('n'))
    await store.reload()
    expect(store.get('m')).toBe(m)
    expect(store.get('loose.gguf')).toBe(loose)
    expect(store.list()).not.toBe(listed)
    const before = store.list()
    expect(store.list()).toBe(before)
  })

  it('keeps the models of a list whose entries are broken, and takes the others as they are', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('list.yaml'), '- {name: a, backend: test}\n- {name: b, backend: test}\n')
    const store = createConfigStore({ folder: dir.path })
    expect(names(store)).toEqual(['a', 'b'])
    writeFileSync(dir.join('list.yaml'), '- {name: a, backend: other}\n- {name: b, threads: many}\n')
    expect(names(store)).toEqual(['a', 'b'])
    expect([store.get('a')?.backend, store.get('b')?.backend]).toEqual(['other', 'test'])
    expect(problems(store)).toEqual([
      expect.stringMatching(/^list\.yaml:2: threads: .*; the last good version stays in use$/),
    ])
    writeFileSync(dir.join('list.yaml'), '- {name: a, backend: other}\n')
    expect(names(store)).toEqual(['a'])
  })

  it('keeps the last good version of a file while it is broken', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('m.yaml'), yaml('m', 'threads: 1'))
    const store = createConfigStore({ folder: dir.path })
    const good = store.get('m')
    writeFileSync(dir.join('m.yaml'), yaml('m', 'threads: ['))
    expect(store.get('m')).toBe(good)
    expect(names(store)).toEqual(['m'])
    expect(problems(store)).toEqual([expect.stringMatching(/^m\.yaml:4: .*; the last good version stays in use$/)])
    writeFileSync(dir.join('m.yaml'), yaml('m', 'threads: 2'))
    expect(store.get('m')?.threads).toBe(2)
    expect(names(store)).toEqual(['m'])
    expect(problems(store)).toEqual([])
  })

  it('replaces weights: a file that grows while it is copied', async () => {
    await using dir = await tempDir()
    const store = createConfigStore({ folder: dir.path })
    writeFileSync(dir.join('m.gguf'), chatGguf().subarray(0, 60))
    expect(store.get('m.gguf')).toBeUndefined()
    writeFileSync(dir.join('m.gguf'), chatGguf())
    expect(store.get('m.gguf')?.gguf?.architecture).toBe('llama')
    writeFileSync(dir.join('m.gguf'), embeddingGguf())
    expect(store.get('m.gguf')?.gguf?.architecture).toBe('bert')
  })
})

describe('names that are asked for', () => {
  it.each([
    '',
    '.',
    '..',
    '../a',
    '/etc/passwd',
    'a/../../b',
    'a\\b',
    'a\0b',
    '-x',
    'x'.repeat(5000),
    '\u202e',
    '__proto__',
    'toString',
  ])('%j is nobody', async (name) => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.yaml'), yaml('a'))
    expect(createConfigStore({ folder: dir.path }).get(name)).toBeUndefined()
  })

  it('must be exact', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.yaml'), yaml('org/Model'))
    const store = createConfigStore({ folder: dir.path })
    expect(store.get('org/Model')).toBeDefined()
    for (const name of ['org/model', 'Model', 'a', 'a.yaml', 'org/Model ']) expect(store.get(name)).toBeUndefined()
  })
})

describe('reports', () => {
  it('are reported by a reload and published', async () => {
    await using dir = await tempDir()
    const bus = createBus({ logger: silentLogger })
    const store = createConfigStore({ folder: dir.path, bus })
    const heard: ModelChanges[] = []
    const stop = bus.subscribe('models.changed', (changes) => heard.push(changes))
    writeFileSync(dir.join('a.yaml'), yaml('a'))
    writeFileSync(dir.join('b.yaml'), yaml('b'))
    expect(await store.reload()).toEqual({ added: ['a', 'b'], changed: [], removed: [], problems: [] })
    writeFileSync(dir.join('a.yaml'), yaml('a', 'threads: 2'))
    rmSync(dir.join('b.yaml'))
    writeFileSync(dir.join('c.yaml'), yaml('c'))
    writeFileSync(dir.join('bad.yaml'), '- [')
    const report = await store.reload()
    expect(report).toMatchObject({ added: ['c'], changed: ['a'], removed: ['b'] })
    expect(report.problems).toHaveLength(1)
    expect(await store.reload()).toMatchObject({ added: [], changed: [], removed: [], problems: report.problems })
    expect(heard.map(({ added, changed, removed }) => [added, changed, removed])).toEqual([
      [['a', 'b'], [], []],
      [['c'], ['a'], ['b']],
    ])
    stop()
    rmSync(dir.join('c.yaml'))
    await store.reload()
    expect(heard).toHaveLength(2)
  })

  it('come for changes that a plain call finds', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.yaml'), yaml('a'))
    const bus = createBus({ logger: silentLogger })
    const store = createConfigStore({ folder: dir.path, bus })
    store.list()
    const heard: (readonly string[])[] = []
    bus.subscribe('models.changed', ({ changed }) => heard.push(changed))
    writeFileSync(dir.join('a.yaml'), yaml('a', 'threads: 2'))
    store.get('a')
    expect(heard).toEqual([['a']])
  })

  it('are written to the log once', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.yaml'), yaml('a', 'novel: 1'))
    writeFileSync(dir.join('bad.yaml'), 'name: bad\nthreads: x')
    const lines: [string, LogFields][] = []
    const write = (fields: LogFields, message: string) => void lines.push([message, fields])
    const logger: Logger = { debug: write, info: write, warn: write, error: write }
    const store = createConfigStore({ folder: dir.path, logger })
    await store.reload()
    await store.reload()
    writeFileSync(dir.join('c.yaml'), yaml('c'))
    await store.reload()
    expect(lines).toEqual([
      [
        'model file has a problem',
        { file: 'bad.yaml', line: 2, key: 'threads', reason: 'expected a whole number, found text' },
      ],
      [
        'model file has a key that is ignored',
        { file: 'a.yaml', line: 4, key: 'novel', reason: 'unknown key, kept but not used' },
      ],
    ])
  })
})

describe('demo models', () => {
  async function withDemo() {
    const dir = await tempDir()
    mkdirSync(dir.join('models'))
    mkdirSync(dir.join('delivered'))
    writeFileSync(dir.join('delivered/d.gguf'), chatGguf())
    const models: DemoModelSource[] = [
      {
        name: 'demo',
        file: dir.join('delivered/d.gguf'),
        usecases: ['chat', 'completion'],
        contextSize: 1024,
        description: 'd',
      },
    ]
    const store = (mode: 'auto' | 'true' | 'false') =>
      createConfigStore({ folder: dir.join('models'), demo: { mode, models } })
    return { dir, store, models, [Symbol.asyncDispose]: () => dir.close() }
  }

  it('auto: are listed while the folder has no model for their main use', async () => {
    await using world = await withDemo()
    const store = world.store('auto')
    expect(names(store)).toEqual(['demo'])
    expect(store.get('demo')).toMatchObject({
      source: 'demo',
      folder: world.dir.join('delivered'),
      backend: 'llama',
      parameters: { model: 'd.gguf' },
      contextSize: 1024,
      description: 'd',
    })
    writeFileSync(world.dir.join('models/bad.yaml'), 'name: [')
    writeFileSync(world.dir.join('models/alias.yaml'), 'name: short\nalias: demo')
    writeFileSync(
      world.dir.join('models/router.yaml'),
      'name: front\nrouter: {candidates: [{model: demo, labels: [x]}]}',
    )
    expect(names(store)).toEqual(['demo', 'front', 'short'])
    writeFileSync(world.dir.join('models/own.gguf'), chatGguf())
    expect(names(store)).toEqual(['front', 'own.gguf', 'short'])
    expect(problems(store).join('\n')).not.toContain('there is no model')
    rmSync(world.dir.join('models/own.gguf'))
    expect(names(store)).toEqual(['demo', 'front', 'short'])
  })

  const OWN = {
    nothing: '',
    'a chat model': 'known_usecases: [chat]',
    'a chat model with every use of its engine': 'known_usecases: [chat, completion, edit, tokenize]',
    'a model that only continues text': 'known_usecases: [completion]',
    'a scorer': 'known_usecases: [score]',
    'a tokenizer': 'known_usecases: [tokenize]',
    'an embedder': 'embeddings: true\nknown_usecases: [embeddings, tokenize]',
    'a reranker': 'known_usecases: [rerank]',
    'a recogniser': 'known_usecases: [token_classify]',
    'a model of all': 'known_usecases: [chat, embeddings, rerank]',
    'a disabled chat model': 'known_usecases: [chat]\ndisabled: true',
    'a disabled model of all': 'known_usecases: [chat, embeddings, rerank]\ndisabled: true',
  } as const

  it.each([
    ['nothing', ['chats', 'embeds']],
    ['a chat model', ['embeds']],
    ['a chat model with every use of its engine', ['embeds']],
    ['a model that only continues text', ['chats', 'embeds']],
    ['a scorer', ['chats', 'embeds']],
    ['a tokenizer', ['chats', 'embeds']],
    ['an embedder', ['chats']],
    ['a reranker', ['chats', 'embeds']],
    ['a recogniser', ['chats', 'embeds']],
    ['a model of all', []],
    ['a disabled chat model', ['chats', 'embeds']],
    ['a disabled model of all', ['chats', 'embeds']],
  ] as const)('auto: beside %s, %j are listed and all stay usable by name', async (own, listed) => {
    await using dir = await tempDir()
    mkdirSync(dir.join('models'))
    writeFileSync(dir.join('d.gguf'), chatGguf())
    const facts = { file: dir.join('d.gguf'), contextSize: 9 }
    const models: readonly DemoModelSource[] = [
      { ...facts, name: 'chats', usecases: ['chat', 'completion', 'score'] },
      { ...facts, name: 'embeds', usecases: ['embeddings', 'rerank'] },
    ]
    if (OWN[own] !== '') writeFileSync(dir.join('models/own.yaml'), yaml('own').replace('\n', `\n${OWN[own]}\n`))
    const store = createConfigStore({ folder: dir.join('models'), demo: { mode: 'auto', models } })
    expect(names(store).filter((name) => name !== 'own')).toEqual(listed)
    expect(names(store, true).filter((name) => name !== 'own')).toEqual(['chats', 'embeds'])
    expect([store.get('chats')?.source, store.get('embeds')?.source]).toEqual(['demo', 'demo'])
  })

  it('auto: yield their name to a model of the folder that is added while they are hidden', async () => {
    await using world = await withDemo()
    writeFileSync(world.dir.join('models/own.gguf'), chatGguf())
    const store = world.store('auto')
    expect(store.get('demo')?.source).toBe('demo')
    writeFileSync(world.dir.join('models/mine.yaml'), yaml('demo'))
    expect([store.get('demo')?.source, names(store)]).toEqual(['yaml', ['demo', 'own.gguf']])
  })

  it('true: are there beside others, and yield their name to one of the folder', async () => {
    await using world = await withDemo()
    writeFileSync(world.dir.join('models/own.yaml'), yaml('own'))
    const store = world.store('true')
    expect(names(store)).toEqual(['demo', 'own'])
    writeFileSync(world.dir.join('models/mine.yaml'), yaml('demo'))
    expect(names(store)).toEqual(['demo', 'own'])
    expect(store.get('demo')?.source).toBe('yaml')
  })

  it('run on the backend that they name, and a detector masks from its least score', async () => {
    await using world = await withDemo()
    writeFileSync(world.dir.join('delivered/model_int8.onnx'), 'graph')
    const recogniser = {
      name: 'people',
      file: world.dir.join('delivered/model_int8.onnx'),
      backend: 'onnx',
      usecases: ['token_classify'],
      contextSize: 4104,
      minScore: 0.5,
    } satisfies DemoModelSource
    const missing = { ...recogniser, name: 'gone', file: world.dir.join('delivered/gone.onnx') }
    const models = [...world.models, recogniser, missing]
    const store = createConfigStore({ folder: world.dir.join('models'), demo: { mode: 'auto', models } })
    expect(names(store)).toEqual(['demo', 'people'])
    expect(store.get('people')).toMatchObject({
      backend: 'onnx',
      folder: world.dir.join('delivered'),
      parameters: { model: 'model_int8.onnx' },
      knownUsecases: ['token_classify'],
      piiDetection: { minScore: 0.5 },
      gguf: undefined,
    })
    expect(store.problems()).toEqual([{ file: 'gone.onnx', reason: 'is missing' }])
    const own = 'name: own\nbackend: onnx\nknown_usecases: [token_classify]\nparameters: {model: own}\n'
    writeFileSync(world.dir.join('models/own.yaml'), own)
    expect(names(store)).toEqual(['demo', 'own'])
    expect(store.get('people')?.source).toBe('demo')
  })

  it('false: are not there', async () => {
    await using world = await withDemo()
    expect(names(world.store('false'))).toEqual([])
    expect(world.store('false').get('demo')).toBeUndefined()
  })

  it('that are missing or damaged are told of', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('bad.gguf'), 'x')
    const models: DemoModelSource[] = ['gone', 'bad'].map((name) => ({
      name,
      file: dir.join(`${name}.gguf`),
      usecases: [],
      contextSize: 1,
    }))
    const store = createConfigStore({ folder: dir.join('models'), demo: { mode: 'auto', models } })
    expect(names(store)).toEqual([])
    expect(problems(store)).toEqual(['gone.gguf: is missing', 'bad.gguf: is too short for a GGUF file'])
  })
})

it('holds a thousand models and parses each once', async () => {
  await using dir = await tempDir()
  for (let index = 0; index < 1000; index += 1)
    writeFileSync(dir.join(`m${index}.yaml`), yaml(`m${index}`, `threads: ${index}`))
  const store = createConfigStore({ folder: dir.path })
  expect((await store.reload()).added).toHaveLength(1000)
  const all = store.list()
  writeFileSync(dir.join('m7.yaml'), yaml('m7', 'threads: 8'))
  expect((await store.reload()).changed).toEqual(['m7'])
  const kept = store.list().filter((model, index) => model === all[index])
  expect(kept).toHaveLength(999)
})

describe('the work for many models', () => {
  /** Counts the look-ups of files and of the folder: at start, for a first list, and for a second one. */
  async function looksFor(count: number): Promise<readonly (readonly number[])[]> {
    await using dir = await tempDir()
    const weights = chatGguf()
    for (let index = 0; index < count; index += 1) {
      if (index % 2 === 0)
        writeFileSync(
          dir.join(`m${index}.yaml`),
          `name: m${index}\nbackend: llama\nparameters: {model: w${index}.gguf}\n`,
        )
      else writeFileSync(dir.join(`m${index}.gguf`), weights)
    }
    let found = 0
    let named = 0
    const openFolder = (path: string): ModelFolder => {
      const folder = openModelFolder(path)
      return {
        ...folder,
        names() {
          named += 1
          return folder.names()
        },
        find(relativePath) {
          found += 1
          return folder.find(relativePath)
        },
      }
    }
    const store = createConfigStore({ folder: dir.path, openFolder })
    const steps = [() => store.reload(), () => store.list(), () => store.list(), () => store.get('m0')]
    const looks: (readonly number[])[] = []
    for (const step of steps) {
      found = 0
      named = 0
      await step()
      looks.push([found, named])
    }
    expect(store.list()).toHaveLength(count)
    return looks
  }

  it('grows with their number and no faster; a known name costs the same among any number', async () => {
    const [few, more, many] = [await looksFor(100), await looksFor(200), await looksFor(1000)]
    for (const [step, [looks = 0, names]] of few.slice(0, 3).entries()) {
      const each = ((more[step]?.[0] ?? 0) - looks) / 100
      expect(many[step]).toEqual([looks + 900 * each, names])
    }
    expect(many[3]).toEqual(few[3])
  })
})

it('lets other work in while it loads', async () => {
  await using dir = await tempDir()
  for (let index = 0; index < 100; index += 1) writeFileSync(dir.join(`m${index}.yaml`), yaml(`m${index}`))
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 0)
  const turn = () => {
    turns += 1
    if (turns < 1000) setImmediate(turn)
  }
  setImmediate(turn)
  await createConfigStore({ folder: dir.path }).reload()
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
})
