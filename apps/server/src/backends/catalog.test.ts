import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { Logger } from '../ports.ts'
import { type BackendCatalogOptions, createBackendCatalog } from './catalog.ts'

interface Warning {
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

function createRecorder(): { readonly warnings: Warning[]; readonly logger: Logger } {
  const warnings: Warning[] = []
  const ignore = () => undefined
  const logger = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (fields: Warning['fields'], message: string) => void warnings.push({ fields, message }),
  }
  return { warnings, logger }
}

function createCatalog(options: Partial<BackendCatalogOptions> = {}) {
  return createBackendCatalog({ folders: [], builtIn: {}, external: {}, logger: createRecorder().logger, ...options })
}

interface FolderContent {
  readonly run?: boolean
  readonly metadata?: unknown
}

async function installFolder(
  dir: TempDir,
  name: string,
  { run = true, metadata }: FolderContent = {},
): Promise<string> {
  const folder = dir.join(name)
  await mkdir(folder)
  if (run) await writeFile(dir.join(name, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  const text = typeof metadata === 'string' ? metadata : JSON.stringify(metadata)
  if (metadata !== undefined) await writeFile(dir.join(name, 'metadata.json'), text)
  return folder
}

const llama = { entry: '/app/llama/main.js', execArgv: ['--max-old-space-size=512'] }

describe('candidates for a model that names no backend', () => {
  const builtIn = { llama, 'llama-cpp': llama, mock: { entry: '/app/mock.js', execArgv: [] } }

  it('of GGUF weights are llama, then installed engines of language models, each program once', async () => {
    await using dir = await tempDir()
    for (const name of ['ik-llama-cpp', 'piper', 'cuda12-vllm', 'local-store']) await installFolder(dir, name)
    await installFolder(dir, 'vllm', { run: false, metadata: { meta_backend_for: 'cuda12-vllm' } })
    const catalog = await createCatalog({ folders: [dir.path], builtIn })
    const found = catalog.candidates({ isGguf: true })
    expect(found.map(({ name }) => name)).toEqual(['llama', 'cuda12-vllm', 'ik-llama-cpp'])
  })

  it('begin with an installed llama.cpp, and end with ours before the others', async () => {
    await using dir = await tempDir()
    await installFolder(dir, 'cpu-llama-cpp', { metadata: { name: 'cpu-llama-cpp', alias: 'llama-cpp' } })
    await installFolder(dir, 'bonsai')
    const catalog = await createCatalog({ folders: [dir.path], builtIn })
    expect(catalog.candidates({ isGguf: true })).toMatchObject([
      { cwd: dir.join('cpu-llama-cpp') },
      { command: process.execPath, transport: 'unix' },
      { cwd: dir.join('bonsai') },
    ])
  })

  it('of other weights are all installed ones that run models, without external and built-in ones', async () => {
    await using dir = await tempDir()
    for (const name of ['piper', 'whisper', 'local-store', 'opus']) await installFolder(dir, name)
    const catalog = await createCatalog({
      folders: [dir.path],
      builtIn,
      external: { near: dir.join('piper', 'run.sh'), far: '127.0.0.1:9' },
    })
    expect(catalog.candidates({ isGguf: false }).map(({ name }) => name)).toEqual(['near', 'whisper'])
  })
})

describe('installed backends', () => {
  it('run their run.sh in their folder over TCP, under the name of their metadata or else their folder', async () => {
    await using dir = await tempDir()
    const plain = await installFolder(dir, 'Piper')
    await installFolder(dir, 'cpu-whisper', { metadata: { name: 'Whisper-CPP' } })
    const catalog = await createCatalog({ folders: [dir.path] })
    expect(catalog.names()).toEqual(['cpu-whisper', 'piper', 'whisper-cpp'])
    expect(catalog.resolve('PIPER')).toEqual({
      kind: 'spawn',
      name: 'piper',
      command: dir.join('Piper', 'run.sh'),
      args: [],
      cwd: plain,
      transport: 'tcp',
    })
    expect(catalog.resolve('whisper-cpp')).toMatchObject({ command: dir.join('cpu-whisper', 'run.sh') })
  })

  it('follow a folder of metadata alone to the folder it names, and nowhere else', async () => {
    await using dir = await tempDir()
    await installFolder(dir, 'rocm-vllm')
    await installFolder(dir, 'vllm', { run: false, metadata: { name: 'vllm', meta_backend_for: 'rocm-vllm' } })
    await installFolder(dir, 'bad', { run: false, metadata: { meta_backend_for: '../../bin' } })
    const catalog = await createCatalog({ folders: [dir.path] })
    expect(catalog.resolve('vllm')).toMatchObject({ command: dir.join('rocm-vllm', 'run.sh') })
    expect(catalog.resolve('bad')).toBeUndefined()
    expect(catalog.names()).toEqual(['rocm-vllm', 'vllm'])
  })

  it.each([
    ['nvidia', 'cuda12-llama-cpp'],
    ['amd', 'vulkan-llama-cpp'],
    ['default', 'cpu-llama-cpp'],
    ['metal', 'cpu-llama-cpp'],
  ] as const)('share an alias that resolves to the build for %s', async (buildFamily, folderName) => {
    await using dir = await tempDir()
    for (const name of ['cpu-llama-cpp', 'cuda12-llama-cpp', 'vulkan-llama-cpp']) {
      await installFolder(dir, name, { metadata: { name, alias: 'llama-cpp' } })
    }
    const catalog = await createCatalog({ folders: [dir.path], buildFamily })
    expect(catalog.resolve('llama-cpp')).toMatchObject({ cwd: dir.join(folderName) })
  })

  it('resolve an alias without a preferred build to the first that can run', async () => {
    await using dir = await tempDir()
    await installFolder(dir, 'a-broken', { run: false, metadata: { alias: 'tts' } })
    await installFolder(dir, 'b-special', { metadata: { alias: 'tts' } })
    const catalog = await createCatalog({ folders: [dir.path] })
    expect(catalog.resolve('tts')).toMatchObject({ cwd: dir.join('b-special') })
  })

  it('of the first folder win over the same name in the next', async () => {
    await using user = await tempDir()
    await using system = await tempDir()
    for (const dir of [user, system]) await installFolder(dir, 'piper')
    await installFolder(system, 'opus')
    const catalog = await createCatalog({ folders: [user.path, system.path, user.join('missing')] })
    expect(catalog.resolve('piper')).toMatchObject({ cwd: user.join('piper') })
    expect(catalog.resolve('opus')).toMatchObject({ cwd: system.join('opus') })
  })

  it('get the execute bit when it is missing, but not through a link', async () => {
    await using dir = await tempDir()
    await using elsewhere = await tempDir()
    await installFolder(dir, 'plain')
    await chmod(dir.join('plain', 'run.sh'), 0o600)
    await writeFile(elsewhere.join('file'), '', { mode: 0o600 })
    await installFolder(dir, 'linked', { run: false })
    await symlink(elsewhere.join('file'), dir.join('linked', 'run.sh'))
    const catalog = await createCatalog({ folders: [dir.path] })
    expect(catalog.names()).toEqual(['plain'])
  })

  it('are reported when they cannot be used', async () => {
    await using dir = await tempDir()
    await installFolder(dir, 'empty', { run: false })
    await installFolder(dir, 'odd', { metadata: '[' })
    await installFolder(dir, 'large', { metadata: `"${'x'.repeat(1024 * 1024)}"` })
    await mkdir(dir.join('.install-tmp'))
    const { warnings, logger } = createRecorder()
    const catalog = await createCatalog({ folders: [dir.path], logger })
    expect(catalog.names()).toEqual(['large', 'odd'])
    expect(warnings.map(({ fields }) => [fields.folder, fields.reason])).toEqual([
      [dir.join('empty'), 'no executable run.sh'],
      [dir.join('large'), 'metadata.json is not a file of at most 1 MiB'],
      [dir.join('odd'), 'metadata.json is not a JSON object'],
    ])
  })

  it('appear after a refresh', async () => {
    await using dir = await tempDir()
    const catalog = await createCatalog({ folders: [dir.path] })
    await installFolder(dir, 'piper')
    expect(catalog.resolve('piper')).toBeUndefined()
    await catalog.refresh()
    expect(catalog.resolve('piper')).toBeDefined()
  })
})

describe('external backends', () => {
  it('are files to run, Node programs by this Node, or addresses to attach', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('engine'), '')
    await writeFile(dir.join('mock.mjs'), '')
    const external = {
      Engine: dir.join('engine'),
      mock: dir.join('mock.mjs'),
      remote: '10.0.0.2:50051',
      six: '[::1]:1234',
      socket: 'unix:/run/engine.sock',
    }
    const catalog = await createCatalog({ external })
    const tcp = { kind: 'spawn', cwd: dir.path, transport: 'tcp' }
    expect(catalog.resolve('engine')).toEqual({ ...tcp, name: 'engine', command: dir.join('engine'), args: [] })
    expect(catalog.resolve('mock')).toEqual({
      ...tcp,
      name: 'mock',
      command: process.execPath,
      args: [dir.join('mock.mjs')],
    })
    expect(catalog.resolve('remote')).toEqual({ kind: 'attach', name: 'remote', address: '10.0.0.2:50051' })
    expect(catalog.resolve('six')).toMatchObject({ address: '[::1]:1234' })
    expect(catalog.resolve('socket')).toMatchObject({ address: 'unix:/run/engine.sock' })
  })

  it('that are neither are reported and unknown', async () => {
    const { warnings, logger } = createRecorder()
    const uris = ['/no/such/file.mjs', 'host', 'host:', 'host:0', 'host:70000', 'a b:1', 'unix:relative', 'http://h:1']
    const external = Object.fromEntries(uris.map((uri, index) => [`x${index}`, uri]))
    const catalog = await createCatalog({ external, logger })
    expect(catalog.names()).toEqual([])
    expect(warnings).toHaveLength(uris.length)
  })

  it('change while running', async () => {
    const catalog = await createCatalog({ external: { a: 'h:1' } })
    await Promise.all([catalog.setExternal({ b: 'h:2' }), catalog.setExternal({ c: 'h:3' })])
    expect(catalog.names()).toEqual(['c'])
  })

  it('keep names with shell characters as they are', async () => {
    const name = '; rm -rf $(pwd) `x` \n'
    const catalog = await createCatalog({ external: { [name]: 'h:1' } })
    expect(catalog.resolve(name)).toEqual({ kind: 'attach', name, address: 'h:1' })
  })
})

describe('the order of sources', () => {
  // verifies model-file:backend:order
  it('is external, installed, built in', async () => {
    await using dir = await tempDir()
    const catalog = await createCatalog({ folders: [dir.path], builtIn: { llama, 'llama-cpp': llama } })
    expect(catalog.resolve('llama-cpp')).toEqual({
      kind: 'spawn',
      name: 'llama-cpp',
      command: process.execPath,
      args: ['--max-old-space-size=512', '/app/llama/main.js'],
      cwd: '/app/llama',
      transport: 'unix',
    })
    await installFolder(dir, 'llama-cpp')
    await catalog.refresh()
    expect(catalog.resolve('llama-cpp')).toMatchObject({ cwd: dir.join('llama-cpp') })
    await catalog.setExternal({ 'llama-cpp': 'h:1' })
    expect(catalog.resolve('llama-cpp')).toMatchObject({ kind: 'attach' })
  })

  it('reads old spellings of names', async () => {
    const external = { 'ik-llama-cpp': 'h:1', transformers: 'h:2', 'local-store': 'h:3', 'stablediffusion-ggml': 'h:4' }
    const catalog = await createCatalog({ builtIn: { 'llama-cpp': llama }, external })
    const found = ['go-llama', 'IK_llama', 'sentencetransformers', 'embedded-store', 'stablediffusion'].map(
      (name) => catalog.resolve(name)?.name,
    )
    expect(found).toEqual(['llama-cpp', 'ik-llama-cpp', 'transformers', 'local-store', 'stablediffusion-ggml'])
    expect(catalog.resolve('unknown')).toBeUndefined()
  })
})
