import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  isPiiCovered,
  isPiiEnabled,
  listCapabilities,
  listInputModalities,
  listOutputModalities,
} from './capabilities.ts'
import { parseModelFile } from './config-file.ts'
import type { GgufSummary } from './gguf-summary.ts'
import type { ModelConfig } from './model-config.ts'
import { readUsecases, USECASES } from './usecase-names.ts'
import { continuesText, guesses, hasUsecase, listUsecases } from './usecases.ts'

function parse(yaml: string): ModelConfig | undefined {
  return parseModelFile(yaml, { file: 'm.yaml', folder: '/models', modifiedAt: 0 }).models[0]
}

function model(yaml: string, gguf?: Partial<GgufSummary>): ModelConfig {
  const config = parse(yaml)
  if (config === undefined) throw new Error('not read')
  const summary = { architecture: 'llama', hasChatTemplate: false, tensorCount: 1, sizeBytes: 1, ...gguf }
  return gguf === undefined ? config : { ...config, gguf: summary }
}

interface Recorded {
  readonly name: string
  readonly yaml?: string
  readonly has?: readonly string[]
  readonly guess?: readonly string[]
  readonly declared?: readonly string[]
  readonly capabilities?: readonly string[]
  readonly input_modalities?: readonly string[]
  readonly output_modalities?: readonly string[]
  readonly pii_covered?: boolean
  readonly pii_enabled?: boolean
  readonly loaded?: boolean
}

const recorded: readonly Recorded[] = readFileSync(new URL('__fixtures__/usecases.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
const files = recorded.filter(({ yaml }) => yaml !== undefined)

describe("usecases of the reference's models", () => {
  it('has more than a hundred records', () => {
    expect(files.length).toBeGreaterThan(100)
  })

  it.each(files.filter(({ loaded }) => loaded !== false))('$name', ({ name, yaml = '', has = [] }) => {
    // The reference does not know these two usecases.
    const ours = name === 'declared/decisions' ? ['decisions'] : has.filter((usecase) => usecase !== 'llm')
    const found = listUsecases(model(yaml)).filter((usecase) => usecase !== 'stores')
    expect(found.sort()).toEqual([...ours].sort())
  })

  it.each(files.filter(({ loaded }) => loaded !== false))('$name, guessed and declared', (record) => {
    const config = model(record.yaml ?? '')
    // `llm` means three usecases.
    const guessed = (record.guess ?? []).filter((usecase) => usecase !== 'llm')
    const found = USECASES.filter((usecase) => usecase !== 'stores' && guesses(config, usecase))
    expect(found.sort()).toEqual([...guessed].sort())
    const declared = (record.declared ?? []).filter((usecase) => usecase !== 'llm')
    const known = config.knownUsecases.filter((usecase) => usecase !== 'decisions')
    expect([...known].sort()).toEqual([...declared].sort())
  })

  it.each([
    ['backend: local-store', true],
    ['backend: Embedded-Store', true],
    ['backend: valkey-store', true],
    ['backend: mock\nknown_usecases: [stores]', true],
    ['backend: service-proxy\nknown_usecases: [FLAG_STORES]', true],
    ['backend: mock', false],
    ['backend: llama\nknown_usecases: [chat]', false],
  ])('%s is a store: %s', (yaml, isStore) => {
    expect(hasUsecase(model(`name: m\n${yaml}\n`), 'stores')).toBe(isStore)
  })

  it.each(files.filter(({ loaded }) => loaded !== false))('$name, as interfaces show it', (record) => {
    const config = model(record.yaml ?? '')
    expect({
      capabilities: listCapabilities(config),
      input_modalities: listInputModalities(config),
      output_modalities: listOutputModalities(config),
      pii_covered: isPiiCovered(config),
      pii_enabled: isPiiEnabled(config),
    }).toEqual({
      capabilities: record.capabilities,
      input_modalities: record.input_modalities,
      output_modalities: record.output_modalities,
      pii_covered: record.pii_covered,
      pii_enabled: record.pii_enabled,
    })
  })

  it.each(files.filter(({ loaded }) => loaded === false))('$name is refused', ({ yaml = '' }) => {
    expect(parse(yaml)).toBeUndefined()
  })
})

describe('usecases that weights alone give a model', () => {
  it.each<[string, Partial<GgufSummary>, readonly string[]]>([
    ['a chat model', { hasChatTemplate: true }, ['chat', 'completion', 'edit', 'tokenize']],
    [
      'a chat model with mean vectors of its own',
      { hasChatTemplate: true, poolingType: 1 },
      ['chat', 'completion', 'edit', 'tokenize'],
    ],
    ['a base model', {}, ['completion', 'edit', 'tokenize']],
    ['an encoder', { architecture: 'bert' }, ['embeddings', 'tokenize']],
    ['another encoder', { architecture: 'nomic-bert-moe' }, ['embeddings', 'tokenize']],
    ['a model of static vectors', { poolingType: 1 }, ['embeddings', 'tokenize']],
    ['a model of last-token vectors', { hasChatTemplate: true, poolingType: 3 }, ['embeddings', 'tokenize']],
    ['a ranker', { architecture: 'bert', poolingType: 4 }, ['rerank', 'tokenize']],
  ])('%s', (_name, gguf, usecases) => {
    expect(listUsecases(model('name: m\nparameters: {model: x.gguf}', gguf))).toEqual(usecases)
  })

  it('yields to the templates of the file', () => {
    const config = model('name: m\nparameters: {model: x.gguf}\ntemplate: {completion: "{{.Input}}"}', {})
    expect(listUsecases(config)).toEqual(['completion', 'tokenize'])
  })

  it.each([
    ['template: {chat: "{{.Input}}"}', ['chat', 'tokenize'], false],
    ['template: {chat_message: "{{.Content}}"}', ['chat', 'tokenize'], false],
    ['template: {use_tokenizer_template: true}', ['completion', 'edit', 'tokenize'], true],
    ['known_usecases: [chat]', ['chat', 'completion', 'edit', 'tokenize'], true],
    ['known_usecases: [score]', ['score'], false],
    ['embeddings: true', ['embeddings', 'tokenize'], false],
    ['', ['completion', 'edit', 'tokenize'], true],
  ])('of a base model with the file %j', (yaml, usecases, continues) => {
    const config = model(`name: m\nparameters: {model: x.gguf}\n${yaml}`, {})
    expect([listUsecases(config), continuesText(config)]).toEqual([usecases, continues])
  })

  it('yields to a declared scorer', () => {
    expect(listUsecases(model('name: m\nparameters: {model: x.gguf}\nknown_usecases: [score]', {}))).toEqual(['score'])
  })
})

describe('names of usecases', () => {
  it('come out in one order, once, unknown ones left out', () => {
    expect(readUsecases(['tts', 'llm', 'chat', 'FLAG_VAD', 'flag_image', 'FLAG_image', '', 'any'])).toEqual([
      'chat',
      'completion',
      'edit',
      'tts',
      'vad',
    ])
  })

  // verifies model-file:usecases:list
  it('are all accepted as they are listed', () => {
    expect(readUsecases(USECASES)).toEqual([...USECASES])
  })
})

it('an alias serves nothing by itself', () => {
  const alias = model('name: m\nalias: other\ntemplate: {chat: x}')
  expect(USECASES.some((usecase) => hasUsecase(alias, usecase))).toBe(false)
})

it('backends are compared without case', () => {
  expect(listUsecases(model('name: m\nbackend: Whisper'))).toEqual(['transcript'])
})

it('a router chats with any backend', () => {
  const router = 'router:\n  candidates:\n    - model: a\n      labels: [x]\n'
  for (const backend of ['whisper', 'diffusers', 'rerankers', 'llama']) {
    expect(hasUsecase(model(`name: r\nbackend: ${backend}\n${router}`), 'chat'), backend).toBe(true)
  }
  expect(hasUsecase(model('name: r\nbackend: whisper\n'), 'chat')).toBe(false)
})
