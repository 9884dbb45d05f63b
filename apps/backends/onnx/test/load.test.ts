import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OnnxGraph, toOnnxFile, writeTinyEmbedder, writeTinyNer, writeTinyRanker } from '@svc/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

let backend: TestBackend
let folder: string
beforeAll(async () => {
  backend = await startBackend()
  folder = join(backend.models, 'tiny')
})
afterAll(() => backend[Symbol.asyncDispose]())
beforeEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await writeTinyNer(folder)
})

async function edit(name: string, change: (value: Record<string, unknown>) => unknown): Promise<void> {
  const file = join(folder, name)
  await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, 'utf8')))))
}

const find = async (): Promise<unknown> => (await backend.client.tokenClassify({ text: 'John' })).entities

const IDS = { name: 'input_ids', kind: 'int64', dims: ['b', 's'] } as const

function identityGraph(changes: Partial<OnnxGraph>): Buffer {
  return toOnnxFile({
    nodes: [{ op: 'Cast', inputs: ['input_ids'], outputs: ['logits'], attributes: { to: 1 } }],
    tensors: [],
    inputs: [IDS],
    outputs: [{ name: 'logits', kind: 'float32', dims: ['b', 's'] }],
    ...changes,
  })
}

describe('where a model lies', () => {
  it('a folder with the graph beside the other files', async () => {
    await rename(join(folder, 'onnx', 'model.onnx'), join(folder, 'model.onnx'))
    await backend.load()
    expect(await find()).toHaveLength(1)
  })

  it('a graph by name, in the folder or in the one for graphs', async () => {
    await backend.load({ ModelFile: join(folder, 'onnx', 'model.onnx') })
    expect(await find()).toHaveLength(1)
    await rename(join(folder, 'onnx', 'model.onnx'), join(folder, 'other.onnx'))
    await backend.load({ ModelFile: join(folder, 'other.onnx') })
    expect(await find()).toHaveLength(1)
  })

  it('other weights by option, or where there are no others', async () => {
    const graph = join(folder, 'onnx', 'model.onnx')
    await expect(backend.load({ Options: ['dtype:q8'] })).rejects.toThrow('there is no onnx/model_quantized.onnx')
    await copyFile(graph, join(folder, 'onnx', 'model_quantized.onnx'))
    await backend.load({ Options: ['dtype:q8'] })
    await rm(graph)
    await backend.load()
    expect(await find()).toHaveLength(1)
    await expect(backend.load({ Options: ['dtype:q3'] })).rejects.toThrow(/option dtype must be one of/)
  })

  it.each(['../outside', '/etc', '..', ''])('never outside the models folder: %j', async (place) => {
    const ModelPath = join(backend.models, 'inner')
    await mkdir(ModelPath, { recursive: true })
    for (const fields of [{ Model: place, ModelFile: '' }, { ModelFile: join(ModelPath, place) }]) {
      if (place === '/etc' && 'ModelFile' in fields && fields.ModelFile !== '') fields.ModelFile = place
      await expect(backend.load({ ...fields, ModelPath })).rejects.toThrow(
        /outside the models folder|no model is named|no such folder/,
      )
    }
  })
})

describe('the task of a model', () => {
  it('comes from its architecture, or from the outputs of its graph', async () => {
    for (const [write, rpc] of [
      [writeTinyNer, () => find()],
      [writeTinyEmbedder, () => backend.client.embedding({ Embeddings: 'a' })],
      [writeTinyRanker, () => backend.client.rerank({ query: 'a', documents: ['a'] })],
    ] as const) {
      await write(folder)
      await edit('config.json', ({ architectures: _, ...config }) => config)
      await backend.load({ Model: write.name })
      await expect(rpc()).resolves.toBeDefined()
    }
  })

  it('two labels rank by the one that means yes; more need to be told', async () => {
    await writeTinyRanker(folder, { labels: ['irrelevant', 'relevant', 'unsure'] })
    await edit('config.json', (config) => ({ ...config, architectures: ['X'] }))
    await expect(backend.load({ Options: ['task:rank'] })).rejects.toThrow(
      'the graph has 1 labels, config.json names 3',
    )
    await expect(backend.load({ Options: ['task:rank', 'rerank_label:perhaps'] })).rejects.toThrow(
      /one of irrelevant, relevant/,
    )
  })
})

describe('a model that cannot be used says why', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['no folder', () => rm(folder, { recursive: true }), /^tiny: no such folder or file$/],
    [
      'no graph',
      () => rm(join(folder, 'onnx'), { recursive: true }),
      /^tiny: there is no onnx\/model.onnx and no model.onnx$/,
    ],
    ['no configuration', () => rm(join(folder, 'config.json')), /^config.json: no such file$/],
    ['no tokenizer', () => rm(join(folder, 'tokenizer.json')), /^tokenizer.json: no such file$/],
    ['no JSON', () => writeFile(join(folder, 'config.json'), '{'), /^config.json: no JSON$/],
    ['no object', () => writeFile(join(folder, 'tokenizer.json'), '[]'), /^tokenizer.json: no JSON object$/],
    [
      'an unknown tokenizer',
      () => edit('tokenizer.json', (file) => ({ ...file, pre_tokenizer: { type: 'Own' } })),
      /^tokenizer.json: .*Own/,
    ],
    [
      'no ONNX',
      () => writeFile(join(folder, 'onnx', 'model.onnx'), 'GGUF, and more of it'),
      /^model.onnx: no ONNX model$/,
    ],
    ['an empty graph', () => writeFile(join(folder, 'onnx', 'model.onnx'), ''), /^model.onnx: /],
    [
      'half a graph',
      async () =>
        writeFile(
          join(folder, 'onnx', 'model.onnx'),
          (await readFile(join(folder, 'onnx', 'model.onnx'))).subarray(0, 900),
        ),
      /^model.onnx: /,
    ],
    [
      'an unknown operation',
      () =>
        writeFile(
          join(folder, 'onnx', 'model.onnx'),
          identityGraph({ nodes: [{ op: 'Dream', inputs: ['input_ids'], outputs: ['logits'] }] }),
        ),
      /^model.onnx: .*Dream/,
    ],
    [
      'inputs of another kind of model',
      () =>
        writeFile(
          join(folder, 'onnx', 'model.onnx'),
          identityGraph({ inputs: [IDS, { name: 'pixel_values', kind: 'float32', dims: ['b', 3] }] }),
        ),
      /wants the inputs pixel_values/,
    ],
    [
      'outputs of another shape',
      () => writeFile(join(folder, 'onnx', 'model.onnx'), identityGraph({})),
      /the model gave 1 x 3 numbers/,
    ],
    [
      'outputs that are no floats',
      () =>
        writeFile(
          join(folder, 'onnx', 'model.onnx'),
          identityGraph({
            nodes: [{ op: 'Identity', inputs: ['input_ids'], outputs: ['logits'] }],
            outputs: [{ name: 'logits', kind: 'int64', dims: ['b', 's'] }],
          }),
        ),
      /gives int64, only float32 is read/,
    ],
    [
      'no room',
      () => edit('config.json', (config) => ({ ...config, max_position_embeddings: 2 })),
      /no room for a text in 2 tokens/,
    ],
  ])('%s', async (_, damage, message) => {
    await damage()
    const outcome = await backend.client.loadModel({ Model: 'tiny', ModelFile: folder, ModelPath: backend.models })
    expect(outcome.success).toBe(false)
    expect(outcome.message).toMatch(message)
    expect(outcome.message).not.toContain(backend.models)
    await writeTinyNer(folder)
    await backend.load()
    expect(await find()).toHaveLength(1)
  })
})

describe('loading again', () => {
  it('the same leaves the model as it is; other files or settings load anew', async () => {
    await backend.load()
    await writeFile(join(folder, 'config.json'), '{')
    await backend.load()
    expect(await find()).toHaveLength(1)
    await expect(backend.load({ Options: ['overlap:3'] })).rejects.toThrow('config.json: no JSON')
  })

  it('a call for another model is refused with the words that hosts look for', async () => {
    await backend.load()
    await expect(backend.client.tokenClassify({ text: 'a', ModelIdentity: 'other' })).rejects.toMatchObject({
      message: expect.stringContaining('model identity mismatch'),
    })
  })

  it('oversized settings are refused', async () => {
    await expect(backend.load({ Threads: 513 })).rejects.toThrow('Threads must be at most 512')
  })

  it('options without effect are named in the log', async () => {
    await backend.load({ Options: ['device:cuda', 'aggregation:first'] })
    expect(backend.output()).toContain('warn: not supported, ignored: option device\n')
  })
})
