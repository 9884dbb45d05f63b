import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { chatGguf, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createConfigStore } from './config-store.ts'
import type { ModelConfig } from './model-config.ts'
import { createModelDirectory, type ModelDirectory } from './resolve.ts'

const DEFAULTS = { threads: 3, defaultThreads: 2, f16: false, debug: false, contextSize: -1 }

interface World extends AsyncDisposable {
  readonly directory: ModelDirectory
  write(file: string, content: string): void
}

async function world(files: Readonly<Record<string, string>>, preferred?: string): Promise<World> {
  const dir = await tempDir()
  const write = (file: string, content: string) => writeFileSync(dir.join(file), content)
  for (const [file, content] of Object.entries(files)) write(file, content)
  const directory = createModelDirectory(createConfigStore({ folder: dir.path }), { ...DEFAULTS, preferred })
  return { directory, write, [Symbol.asyncDispose]: () => dir.close() }
}

interface Pick {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly usecases: readonly string[]
  readonly listed: readonly string[]
  readonly expected?: Readonly<Record<string, readonly string[]>>
  readonly [usecase: string]: unknown
}

const picks: readonly Pick[] = readFileSync(new URL('__fixtures__/usecases.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line.startsWith('{"name":"pick/'))
  .map((line) => JSON.parse(line))

describe('folders of the reference', () => {
  it('are ten', () => {
    expect(picks).toHaveLength(10)
  })

  it.each(picks)('$name', async ({ files, usecases, listed, expected, ...models }) => {
    await using here = await world(files)
    // Files without a model file are models here only when they are GGUF files.
    expect(here.directory.list().map(({ name }) => name)).toEqual(listed.filter((name) => name !== 'extra'))
    for (const usecase of usecases) {
      const serving = expected?.[usecase] ?? models[usecase]
      const first = Array.isArray(serving) ? serving[0] : undefined
      expect(here.directory.findDefault(usecase)?.name, usecase).toBe(first)
    }
  })
})

describe('a name', () => {
  it('leads to its model with defaults filled in, the same object each time', async () => {
    await using here = await world({ 'a.yaml': 'name: a\nbackend: x' })
    const model = here.directory.resolve('a')
    expect(model).toMatchObject({ name: 'a', threads: 3, parameters: { temperature: 0.9 } })
    expect(here.directory.resolve('a')).toBe(model)
    expect(here.directory.list()[0]).toBe(model)
    here.write('a.yaml', 'name: a\nbackend: x\nthreads: 5')
    expect(here.directory.resolve('a')?.threads).toBe(5)
  })

  it('that no model has resolves to nothing', async () => {
    await using here = await world({ 'a.yaml': 'name: a' })
    expect(here.directory.resolve('b')).toBeUndefined()
  })

  it.each(['../a', '/a', 'a\0', 'x'.repeat(201), '-a'])('that nobody can have is refused: %j', async (name) => {
    await using here = await world({ 'a.yaml': 'name: a' })
    expect(() => here.directory.resolve(name)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', code: 'invalid_name' }),
    )
  })

  it('may be an alias, followed once', async () => {
    await using here = await world({
      'a.yaml': 'name: a\nbackend: x',
      'b.yaml': 'name: b\nalias: a',
      'c.yaml': 'name: c\nalias: b',
      'd.yaml': 'name: d\nalias: gone',
    })
    expect(here.directory.resolve('b')?.name).toBe('a')
    expect(() => here.directory.resolve('c')).toThrow(
      expect.objectContaining({
        kind: 'invalid_request',
        code: 'alias_broken',
        message: 'model "c" is an alias of "b", which is an alias itself',
        details: expect.objectContaining({ param: 'model' }),
      }),
    )
    expect(() => here.directory.resolve('d')).toThrow(
      expect.objectContaining({
        message: 'model "d" is an alias of model "gone", which does not exist',
      }),
    )
  })

  it('may end in :latest where clients write it so', async () => {
    await using here = await world({ 'a.yaml': 'name: a', 'b.yaml': 'name: "b:latest"', 'c.yaml': 'name: c\nalias: a' })
    const latest = (name: string) => here.directory.resolve(name, { acceptLatest: true })?.name
    expect(here.directory.resolve('a:latest')).toBeUndefined()
    expect(latest('a:latest')).toBe('a')
    expect(latest('a')).toBe('a')
    expect(latest('b:latest')).toBe('b:latest')
    expect(latest('c:latest')).toBe('a')
    expect(latest('a:latest:latest')).toBeUndefined()
    expect(latest('z:latest')).toBeUndefined()
  })
})

it.each([
  ['b', 'b'],
  ['a', 'a'],
  ['', 'a'],
  [undefined, 'a'],
  ['gone', 'a'],
  ['off', 'a'],
  ['embeds', 'a'],
  ['../b', 'a'],
  ['short', 'short'],
  ['to-off', 'a'],
  ['to-embeds', 'a'],
  ['to-gone', 'a'],
  ['to-alias', 'a'],
])('with the default model %j, %j answers a chat without a model name', async (preferred, expected) => {
  const chats = 'backend: x\nknown_usecases: [chat]'
  const files = {
    'a.yaml': `name: a\n${chats}`,
    'b.yaml': `name: b\n${chats}`,
    'off.yaml': `name: off\ndisabled: true\n${chats}`,
    'embeds.yaml': 'name: embeds\nbackend: x\nknown_usecases: [embeddings]\ntemplate: {}',
    'short.yaml': 'name: short\nalias: b',
    'to-off.yaml': 'name: to-off\nalias: off',
    'to-embeds.yaml': 'name: to-embeds\nalias: embeds',
    'to-gone.yaml': 'name: to-gone\nalias: gone',
    'to-alias.yaml': 'name: to-alias\nalias: short',
  }
  await using here = await world(files, preferred)
  expect(here.directory.findDefault('chat')?.name).toBe(expected)
})

it.each<readonly [string, readonly string[], string | undefined]>([
  ['the alias', ['short', 'a'], 'short'],
  ['the model', ['b', 'a'], 'short'],
  ['another model', ['a'], 'a'],
  ['another alias of it', ['other', 'a'], 'a'],
  ['no model', [], undefined],
])('a default model that is an alias serves a caller who may use %s', async (_, allowed, expected) => {
  const chats = 'backend: x\nknown_usecases: [chat]'
  const aliases = { 'short.yaml': 'name: short\nalias: b', 'other.yaml': 'name: other\nalias: b' }
  await using here = await world({ 'a.yaml': `name: a\n${chats}`, 'b.yaml': `name: b\n${chats}`, ...aliases }, 'short')
  const isMeant = ({ name, alias = name }: ModelConfig): boolean => allowed.includes(name) || allowed.includes(alias)
  const found = here.directory.findDefault('chat', isMeant)
  expect([found?.name, found?.model.name]).toEqual([expected, expected === 'short' ? 'b' : expected])
})

it('has no default for unknown usecases', async () => {
  await using here = await world({ 'a.yaml': 'name: a\nbackend: x\nknown_usecases: [chat]' })
  expect(here.directory.findDefault('chat')?.name).toBe('a')
  expect(here.directory.findDefault('toString')).toBeUndefined()
  expect(here.directory.findDefault('')).toBeUndefined()
})

it('has a demo model as default only where no other model serves the usecase', async () => {
  await using dir = await tempDir()
  await mkdir(dir.join('models'))
  writeFileSync(dir.join('d.gguf'), chatGguf())
  writeFileSync(dir.join('models/z.yaml'), 'name: z\nbackend: x\nknown_usecases: [rerank]')
  const demo = { name: 'a', file: dir.join('d.gguf'), usecases: ['embeddings', 'rerank'], contextSize: 9 } as const
  const store = createConfigStore({ folder: dir.join('models'), demo: { mode: 'auto', models: [demo] } })
  const directory = createModelDirectory(store, DEFAULTS)
  expect(directory.list().map(({ name }) => name)).toEqual(['a', 'z'])
  expect([directory.findDefault('rerank')?.name, directory.findDefault('embeddings')?.name]).toEqual(['z', 'a'])
})

it.each<readonly [string, string, readonly string[], string | undefined]>([
  ['serves everybody', '', ['z', 'a', 'b'], 'z'],
  ['is not meant for the caller', '', ['a', 'b'], 'a'],
  ['is not meant for the caller, who may use a later demo model', '', ['b'], 'b'],
  ['is not meant for a caller without models', '', [], undefined],
  ['is disabled', 'disabled: true', ['z', 'a', 'b'], 'a'],
  ['has no weights', 'parameters: {model: gone.gguf}', ['z', 'a', 'b'], 'a'],
  ['has no weights and is all that the caller may use', 'parameters: {model: gone.gguf}', ['z'], 'z'],
])('a demo model steps in where the model that replaces it %s', async (_, keys, allowed, expected) => {
  await using dir = await tempDir()
  await mkdir(dir.join('models'))
  writeFileSync(dir.join('d.gguf'), chatGguf())
  writeFileSync(dir.join('models/z.yaml'), `name: z\nbackend: llama\nknown_usecases: [chat]\n${keys}`)
  const models = ['a', 'b'].map((name) => ({
    name,
    file: dir.join('d.gguf'),
    usecases: ['chat'] as const,
    contextSize: 9,
  }))
  const store = createConfigStore({ folder: dir.join('models'), demo: { mode: 'auto', models } })
  const directory = createModelDirectory(store, DEFAULTS)
  expect(directory.findDefault('chat', ({ name }) => allowed.includes(name))?.name).toBe(expected)
})
