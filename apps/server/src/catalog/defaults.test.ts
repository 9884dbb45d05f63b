import { describe, expect, it } from 'vitest'
import { parseModelFile } from './config-file.ts'
import { type DefaultsContext, withDefaults } from './defaults.ts'
import type { GgufSummary } from './gguf-summary.ts'
import type { ModelConfig } from './model-config.ts'

const CONTEXT: DefaultsContext = { threads: 0, defaultThreads: 6, f16: false, debug: false, contextSize: -1 }
const CHAT: GgufSummary = {
  architecture: 'llama',
  contextLength: 2048,
  hasChatTemplate: true,
  tensorCount: 1,
  sizeBytes: 1,
}

function filled(
  yaml: string,
  { gguf, ...context }: Partial<DefaultsContext> & { gguf?: GgufSummary } = {},
): ModelConfig {
  const [config] = parseModelFile(`name: m\n${yaml}`, { file: 'm.yaml', folder: '/models', modifiedAt: 0 }).models
  if (config === undefined) throw new Error('not read')
  return withDefaults(gguf === undefined ? config : { ...config, gguf }, { ...CONTEXT, ...context })
}

it('fills values that apply to any model', () => {
  const config = filled('backend: other')
  expect(config.parameters).toEqual({
    topP: 0.95,
    topK: 40,
    minP: 0,
    temperature: 0.9,
    maxTokens: 0,
    typicalP: 1,
    tfz: 1,
    seed: -1,
  })
  expect(config.llm).toEqual({
    mirostat: 0,
    mirostatTau: 5,
    mirostatEta: 0.1,
    mmap: true,
    mmlock: false,
    lowVram: false,
    embeddings: false,
    reranking: false,
    promptCacheAll: true,
  })
  expect(config).toMatchObject({ threads: 6, f16: false, debug: false, contextSize: 4096, options: [] })
})

it('keeps the values of the file, including zero and false', () => {
  const config = filled(
    `
threads: 2
f16: false
context_size: 100
mmap: false
mirostat_tau: 0
prompt_cache_all: no
embeddings: yes
parameters: {temperature: 0, top_k: 0, top_p: 0, seed: 0, min_p: 0.2, max_tokens: 7, tfz: 0, typical_p: 0}
options: [cache_reuse:1]
backend: llama-cpp`,
    { f16: true, threads: 9, contextSize: 50, canMapFiles: true },
  )
  expect(config).toMatchObject({ threads: 2, f16: false, contextSize: 100, options: ['cache_reuse:1'] })
  expect(config.parameters).toEqual({
    temperature: 0,
    topK: 0,
    topP: 0,
    seed: 0,
    minP: 0.2,
    maxTokens: 7,
    tfz: 0,
    typicalP: 0,
  })
  expect(config.llm).toMatchObject({ mmap: false, mirostatTau: 0, promptCacheAll: false, embeddings: true })
})

it.each([
  [{ threads: 3, defaultThreads: 6 }, '', 3],
  [{ threads: 0, defaultThreads: 6 }, '', 6],
  [{ threads: 0, defaultThreads: 0 }, '', 4],
  [{ threads: 3, defaultThreads: 6 }, 'threads: 5', 5],
  [{ threads: 3, defaultThreads: 6 }, 'threads: 0', 3],
])('takes threads from file, flag, cores, 4: %o %s', (context, yaml, threads) => {
  expect(filled(yaml, context).threads).toBe(threads)
})

it.each<[string, number, GgufSummary | undefined, number]>([
  ['', -1, CHAT, 2048],
  ['', 512, CHAT, 512],
  ['context_size: 100', 512, CHAT, 100],
  ['context_size: -1', 512, CHAT, 2048],
  ['context_size: 0', 512, CHAT, 512],
  ['', -1, undefined, 4096],
  ['', 0, undefined, 4096],
  ['context_size: 9000', -1, CHAT, 9000],
])('takes the context size from file, flag, weights, 4096: "%s", flag %i', (yaml, contextSize, gguf, expected) => {
  expect(filled(yaml, { contextSize, ...(gguf && { gguf }) }).contextSize).toBe(expected)
})

it('switches debug on for all with the flag', () => {
  expect(filled('debug: false', { debug: true }).debug).toBe(true)
  expect(filled('debug: true').debug).toBe(true)
})

it('does not map files where the driver cannot', () => {
  expect(filled('', { canMapFiles: false }).llm.mmap).toBe(false)
})

it('asks mlx for no top_k', () => {
  expect(filled('backend: mlx-vlm').parameters.topK).toBe(0)
})

describe('families', () => {
  it('override the values for any model but not those of the file', () => {
    const { parameters } = filled('parameters: {model: Qwen3-8B-Q4_K_M.gguf, top_k: 5}')
    expect(parameters).toMatchObject({ temperature: 0.6, topP: 0.95, topK: 5, minP: 0, repeatPenalty: 1 })
  })

  it('are found by the name when the weights name none', () => {
    expect(withDefaults({ ...filled(''), name: 'my-qwq', parameters: {} }, CONTEXT).parameters.topK).toBe(40)
    expect(withDefaults({ ...filled(''), name: 'my-qwq', parameters: {} }, CONTEXT).parameters.temperature).toBe(0.6)
  })
})

describe('templates', () => {
  it('are those of the weights when the file has none', () => {
    const config = filled('parameters: {model: x.gguf}', { gguf: CHAT })
    expect(config.template.useTokenizerTemplate).toBe(true)
    expect(config.function.grammar?.disable).toBe(true)
    expect(config.options).toEqual(['cache_reuse:256', 'use_jinja:true'])
  })

  it.each(['template: {chat: "{{.Input}}"}', 'template: {use_tokenizer_template: false}'])(
    'are those of the file: %s',
    (yaml) => {
      const config = filled(`parameters: {model: x.gguf}\n${yaml}`, { gguf: CHAT })
      expect(config.template.useTokenizerTemplate).not.toBe(true)
      expect(config.function).toEqual({})
      expect(config.options).toEqual(['cache_reuse:256'])
    },
  )

  it.each([
    ['', {}],
    ['template: {use_tokenizer_template: yes}', { useTokenizerTemplate: true }],
  ])('are none when the weights have none: %j', (yaml, template) => {
    const config = filled(`parameters: {model: x.gguf}\n${yaml}`, { gguf: { ...CHAT, hasChatTemplate: false } })
    expect(config.template).toEqual(template)
  })

  it('of the weights leave no grammar for tools', () => {
    expect(filled('template: {use_tokenizer_template: yes}\nfunction: {grammar: {prefix: a}}').function).toEqual({
      grammar: { prefix: 'a', disable: true },
    })
  })
})

describe('options', () => {
  it.each([
    ['backend: llama-cpp', ['cache_reuse:256']],
    ['', ['cache_reuse:256']],
    ['options: [n_cache_reuse:0]', ['n_cache_reuse:0']],
    ['backend: vllm', []],
    ['parameters: {pooling: mean}', ['cache_reuse:256', 'pooling:none']],
    ['parameters: {pooling: backend}', ['cache_reuse:256']],
    ['parameters: {pooling: mean}\noptions: [pooling_type:none]', ['pooling_type:none', 'cache_reuse:256']],
    ['parameters: {pooling: mean}\nbackend: transformers', []],
  ])('%j', (yaml, options) => {
    expect(filled(yaml).options).toEqual(options)
  })
})

it('knows encoders by their weights', () => {
  const bert = { ...CHAT, architecture: 'bert', hasChatTemplate: false }
  expect(filled('parameters: {model: x.gguf}', { gguf: bert })).toMatchObject({
    llm: { embeddings: true, reranking: false },
    template: {},
    options: ['cache_reuse:256'],
  })
  expect(filled('parameters: {model: x.gguf}', { gguf: { ...bert, poolingType: 4 } }).llm).toMatchObject({
    embeddings: false,
    reranking: true,
  })
})

it('makes a proxy pass through unless told otherwise', () => {
  expect(filled('proxy: {upstream_url: "http://u"}').proxy).toEqual({ upstreamUrl: 'http://u', mode: 'passthrough' })
  expect(filled('').proxy).toBeUndefined()
})

it('does not touch the model it was given', () => {
  const [config] = parseModelFile('name: m\nparameters: {model: a}', { file: 'm', folder: '/', modifiedAt: 0 }).models
  if (config === undefined) throw new Error('not read')
  const before = structuredClone(config)
  withDefaults(config, CONTEXT)
  expect(config).toEqual(before)
})
