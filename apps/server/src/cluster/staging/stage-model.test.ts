import { createHash } from 'node:crypto'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { UpstreamRequest } from '@svc/http-client'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { measureModelFiles, type StageModelOptions, type StagingProgress, stageModel } from './stage-model.ts'

const dir = await tempDir('svc-t-')
afterAll(() => dir.close())
const models = join(dir.path, 'models')
const data = join(dir.path, 'data')
const folders = { models, data }
const signal = new AbortController().signal

const FILES = [
  ...['models/one.gguf', 'models/one.gguf.json', 'models/one.yaml', 'models/one.gguf.partial', 'models/two.gguf'],
  ...['models/big-00001-of-00002.gguf', 'models/big-00002-of-00002.gguf', 'models/big-00001-of-00003.gguf'],
  ...['models/voice.onnx', 'models/voice.onnx.json', 'models/voice.onnx.sha256', 'models/voices.onnx'],
  ...['models/bge/config.json', 'models/bge/onnx/model.onnx', 'models/bge/onnx/model.onnx_data', 'models/bge/.git/x'],
  ...['models/lora/a.gguf', 'models/lora/b.gguf', 'models/vae/part.safetensors', 'models/vae/more/deep.json'],
  ...['data/voices/anna.wav', 'outside/secret', 'models/.artifacts/huggingface/k/snapshot/config.json'],
]

beforeAll(async () => {
  for (const file of FILES) {
    await mkdir(dirname(join(dir.path, file)), { recursive: true })
    await writeFile(join(dir.path, file), file)
  }
  await symlink(join(dir.path, 'outside'), join(models, 'vae', 'out'))
  await symlink(join(dir.path, 'outside', 'secret'), join(models, 'leak.gguf'))
  await symlink(join(models, 'lora'), join(models, 'vae', 'inner'))
  await symlink('..', join(models, 'vae', 'loop'))
})

/** A worker that takes every file, and checks only small ones. */
function createWorker() {
  const files = new Map<string, string>()
  const client: StageModelOptions['client'] = {
    async send({ method, url, body, headers }: UpstreamRequest) {
      const key = decodeURIComponent(url.pathname.slice('/v1/files/'.length))
      const header = (name: string) => headers.find(([each]) => each === name)?.[1]
      const [, end, total] = /-(\d+)\/(\d+)$/.exec(header('content-range') ?? '-0/1') ?? []
      const isLast = Number(end) + 1 === Number(total)
      const content = Buffer.from(body ?? []).toString()
      if (method === 'PUT') files.set(key, content)
      const hash = createHash('sha256').update(content).digest('hex')
      if (method === 'PUT' && isLast && content.length < 1000) expect(header('x-content-sha256')).toBe(hash)
      const status = method === 'HEAD' ? 404 : isLast ? 200 : 308
      const reply = status === 200 ? JSON.stringify({ local_path: `/worker/${key}` }) : ''
      return { status, headers: [], lengthBytes: undefined, endsWithConnection: false, body: toBody(reply) }
    },
  }
  return { files, client }
}

async function* toBody(text: string) {
  yield Buffer.from(text)
}

async function stage(request: Parameters<typeof stageModel>[0], change: Partial<StageModelOptions> = {}) {
  const { files, client } = createWorker()
  const seen: StagingProgress[] = []
  const result = await stageModel(request, {
    processKey: 'm/x#0',
    folders,
    node: { httpAddress: '127.0.0.1:1' },
    token: 't',
    isShared: false,
    client,
    onProgress: (progress) => void seen.push(progress),
    clock: createFakeClock(),
    signal: AbortSignal.timeout(20_000),
    ...change,
  })
  return { result, sent: [...files.keys()].sort(), files, seen }
}

const ROOT = '/worker/models/m/x#0'
const inModels = (...names: string[]) => names.map((name) => `models/m/x#0/${name}`)

describe('the staging of a model', () => {
  it('sends weights with what is named after them, and rewrites their paths', async () => {
    const file = join(models, 'one.gguf')
    const { result, sent, files, seen } = await stage({ Model: 'one.gguf', ModelFile: file, ModelPath: models })
    expect(sent).toEqual(inModels('one.gguf', 'one.gguf.json'))
    expect(files.get('models/m/x#0/one.gguf')).toBe('models/one.gguf')
    expect(result).toMatchObject({ Model: 'one.gguf', ModelFile: `${ROOT}/one.gguf`, ModelPath: ROOT })
    const total = 'models/one.gguf'.length + 'models/one.gguf.json'.length
    expect(seen.at(-1)).toEqual({ bytesSent: total, totalBytes: total, fileIndex: 2, totalFiles: 2 })
    expect(await measureModelFiles({ ModelFile: file, ModelPath: models }, { folders, signal })).toBe(total)
  })

  it.each<[string, string, string[]]>([
    ['parts', 'big-00001-of-00002.gguf', ['big-00001-of-00002.gguf', 'big-00002-of-00002.gguf']],
    ['a voice', 'voice.onnx', ['voice.onnx', 'voice.onnx.json']],
    ['a graph', 'bge/onnx/model.onnx', ['bge/config.json', 'bge/onnx/model.onnx', 'bge/onnx/model.onnx_data']],
    ['a snapshot', '.artifacts/huggingface/k/snapshot', ['.artifacts/huggingface/k/snapshot/config.json']],
    ['a link out of the folder', 'leak.gguf', ['no-files']],
    ['a name of a hub', 'org/name', ['no-files']],
    ['the models folder', '.', ['no-files']],
    ['a folder above', '../outside', ['no-files']],
  ])('sends the files of %s', async (_, name, expected) => {
    const { result, sent } = await stage({ Model: name, ModelFile: join(models, name), ModelPath: models })
    expect(sent).toEqual(inModels(...expected))
    const isInside = join(models, name).startsWith(`${models}/`)
    expect(result.ModelFile).toBe(isInside ? `${ROOT}/${name}` : join(models, name))
    expect(result.ModelPath).toBe(ROOT)
  })

  it('sends what fields, options and engine arguments name', async () => {
    const { result, sent } = await stage({
      ModelPath: models,
      MMProj: join(models, 'two.gguf'),
      LoraAdapters: ['lora/a.gguf'],
      AudioPath: join(data, 'voices/anna.wav'),
      Options: [
        ...['gpu', 'threads:4', 'rerank:cosine', `vae_path: ${models}/vae`, `list:lora/b.gguf,${models}/voices.onnx`],
        ...['up:../outside/secret', `out:${dir.path}/outside/secret`, `--slot-save-path:${models}/lora`, 'all:.'],
      ],
      EngineArgs: JSON.stringify({ speculative: { model: join(models, 'one.gguf'), tokens: 3 } }),
    })
    expect(sent).toEqual([
      'data/m/x#0/voices/anna.wav',
      ...inModels('lora/a.gguf', 'lora/b.gguf', 'one.gguf', 'two.gguf', 'vae/inner/a.gguf', 'vae/inner/b.gguf'),
      ...inModels('vae/more/deep.json', 'vae/part.safetensors', 'voices.onnx'),
    ])
    expect(result).toMatchObject({
      MMProj: `${ROOT}/two.gguf`,
      LoraAdapters: ['lora/a.gguf'],
      AudioPath: '/worker/data/m/x#0/voices/anna.wav',
      EngineArgs: JSON.stringify({ speculative: { model: `${ROOT}/one.gguf`, tokens: 3 } }),
    })
    expect(result.Options).toEqual([
      ...['gpu', 'threads:4', 'rerank:cosine', `vae_path: ${ROOT}/vae`, `list:lora/b.gguf,${ROOT}/voices.onnx`],
      ...['up:../outside/secret', `out:${dir.path}/outside/secret`, `--slot-save-path:${ROOT}`, 'all:.'],
    ])
  })

  it('leaves everything as it is on a shared volume', async () => {
    const request = { ModelFile: join(models, 'one.gguf'), ModelPath: models }
    expect(await stage(request, { isShared: true })).toMatchObject({ result: request, sent: [], seen: [] })
  })

  it('reads a large file once, and again when it has changed', async () => {
    const file = join(models, 'large.gguf')
    await writeFile(file, Buffer.alloc(9 * 1024 * 1024))
    const clock = createFakeClock({ now: Date.now() + 60_000 })
    const request = { ModelFile: file, ModelPath: models }
    await stage(request, { clock })
    const kept = await readFile(join(data, 'file-hashes.json'), 'utf8')
    await stage(request, { clock })
    expect(await readFile(join(data, 'file-hashes.json'), 'utf8')).toBe(kept)
    await writeFile(file, Buffer.alloc(9 * 1024 * 1024, 1))
    await stage(request, { clock })
    expect(await readFile(join(data, 'file-hashes.json'), 'utf8')).not.toBe(kept)
  })
})
