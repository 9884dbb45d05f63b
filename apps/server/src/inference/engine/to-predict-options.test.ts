import type { PredictOptions } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import { parseModelFile } from '../../catalog/config-file.ts'
import { withDefaults } from '../../catalog/defaults.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { GenerationOptions } from '../core/request.ts'
import { type PredictionInput, toEmbeddingOptions, toPredictOptions } from './to-predict-options.ts'

const CONTEXT = { correlationId: 'c-1', choice: 0, randomSeed: () => 99 }

function model(yaml: string): ModelConfig {
  const { models, problems } = parseModelFile(`name: m\n${yaml}`, { file: 'm.yaml', folder: '/models', modifiedAt: 0 })
  expect(problems).toEqual([])
  const [config] = models
  if (config === undefined) throw new Error('not read')
  return config
}

function ask(generation: GenerationOptions = {}, more: Partial<PredictionInput> = {}): PredictionInput {
  return { messages: [{ role: 'user', content: 'hi' }], generation, ...more }
}

function options(yaml: string, request: PredictionInput = ask()) {
  return toPredictOptions(model(yaml), request, CONTEXT)
}

describe('each key and the field it becomes', () => {
  it.each<[string, Partial<PredictOptions>]>([
    ['parameters: {model: x.gguf}', { ModelIdentity: 'x.gguf' }],
    ['description: no weights', { ModelIdentity: '' }],
    ['parameters: {temperature: 0.5}', { Temperature: 0.5 }],
    ['parameters: {top_p: 0.5}', { TopP: 0.5 }],
    ['parameters: {top_k: 5}', { TopK: 5 }],
    ['parameters: {min_p: 0.5}', { MinP: 0.5 }],
    ['parameters: {typical_p: 0.5}', { TypicalP: 0.5 }],
    ['parameters: {tfz: 0.5}', { TailFreeSamplingZ: 0.5 }],
    ['parameters: {max_tokens: 5}', { Tokens: 5 }],
    ['parameters: {repeat_penalty: 1.5}', { Penalty: 1.5 }],
    ['parameters: {repeat_last_n: 5}', { Repeat: 5 }],
    ['parameters: {frequency_penalty: 0.5}', { FrequencyPenalty: 0.5 }],
    ['parameters: {presence_penalty: 0.5}', { PresencePenalty: 0.5 }],
    ['parameters: {n_keep: 5}', { NKeep: 5 }],
    ['parameters: {batch: 5}', { Batch: 5 }],
    ['parameters: {ignore_eos: yes}', { IgnoreEOS: true }],
    [
      'parameters: {negative_prompt: ugly, negative_prompt_scale: 2}',
      { NegativePrompt: 'ugly', NegativePromptScale: 2 },
    ],
    ['parameters: {rope_freq_base: 2, rope_freq_scale: 3}', { RopeFreqBase: 2, RopeFreqScale: 3 }],
    ['parameters: {logprobs: true}', { Logprobs: 1, TopLogprobs: 1 }],
    ['parameters: {logprobs: true, top_logprobs: 5}', { Logprobs: 1, TopLogprobs: 5 }],
    ['parameters: {logit_bias: {42: -1.5}}', { LogitBias: '{"42":-1.5}' }],
    ['parameters: {seed: 7}', { Seed: 7 }],
    ['parameters: {seed: -1}', { Seed: 99 }],
    ['description: no seed', { Seed: 99 }],
    ['threads: 3', { Threads: 3 }],
    ['f16: yes', { F16KV: true }],
    ['debug: yes', { DebugMode: true, Debug: true }],
    ['mmlock: yes', { MLock: true }],
    ['mmap: yes', { MMap: true }],
    ['main_gpu: "1"', { MainGPU: '1' }],
    ['tensor_split: "1,2"', { TensorSplit: '1,2' }],
    ['n_draft: 5', { NDraft: 5 }],
    ['mirostat: 2\nmirostat_eta: 0.5\nmirostat_tau: 4', { Mirostat: 2, MirostatETA: 0.5, MirostatTAU: 4 }],
    ['grammar: "root ::= x"', { Grammar: 'root ::= x' }],
    ['prompt_cache_all: yes\nprompt_cache_ro: yes', { PromptCacheAll: true, PromptCacheRO: true }],
    ['prompt_cache_path: cache/m', { PromptCachePath: '/models/cache/m' }],
    ['stopwords: [a, b]', { StopPrompts: ['a', 'b'] }],
    ['description: no stopwords', { StopPrompts: [] }],
  ])('%s', (yaml, fields) => {
    expect(options(yaml)).toMatchObject(fields)
  })
})

describe('options of a request', () => {
  const yaml = `parameters: {temperature: 0.9, top_p: 0.9, top_k: 9, min_p: 0.9, typical_p: 0.9, tfz: 0.9, max_tokens: 9, seed: 9,
  repeat_penalty: 1.9, repeat_last_n: 9, frequency_penalty: 0.9, presence_penalty: 0.9, n_keep: 9, batch: 9, ignore_eos: yes,
  negative_prompt: n, negative_prompt_scale: 9, rope_freq_base: 9, rope_freq_scale: 9, logit_bias: {9: 9}, logprobs: yes, top_logprobs: 9}`

  it.each<[GenerationOptions, Partial<PredictOptions>]>([
    [{ temperature: 0 }, { Temperature: 0 }],
    [{ topP: 0 }, { TopP: 0 }],
    [{ topK: 0 }, { TopK: 0 }],
    [{ minP: 0 }, { MinP: 0 }],
    [{ typicalP: 0 }, { TypicalP: 0 }],
    [{ tfz: 0 }, { TailFreeSamplingZ: 0 }],
    [{ maxTokens: 0 }, { Tokens: 0 }],
    [{ maxTokens: 5 }, { Tokens: 5 }],
    [{ seed: 0 }, { Seed: 0 }],
    [{ seed: -1 }, { Seed: 99 }],
    [{ repeatPenalty: 1.1 }, { Penalty: 1.1 }],
    [{ repeatPenalty: 0 }, { Penalty: 1.9 }],
    [{ repeatLastN: 3 }, { Repeat: 3 }],
    [{ repeatLastN: 0 }, { Repeat: 9 }],
    [{ frequencyPenalty: -1 }, { FrequencyPenalty: -1 }],
    [{ frequencyPenalty: 0 }, { FrequencyPenalty: 0.9 }],
    [{ presencePenalty: 2 }, { PresencePenalty: 2 }],
    [{ presencePenalty: 0 }, { PresencePenalty: 0.9 }],
    [{ nKeep: 0 }, { NKeep: 0 }],
    [{ batch: 3 }, { Batch: 3 }],
    [{ ignoreEos: false }, { IgnoreEOS: false }],
    [
      { negativePrompt: '', negativePromptScale: 1 },
      { NegativePrompt: '', NegativePromptScale: 1 },
    ],
    [
      { ropeFreqBase: 1, ropeFreqScale: 2 },
      { RopeFreqBase: 1, RopeFreqScale: 2 },
    ],
    [{ logitBias: '{"1":2}' }, { LogitBias: '{"1":2}' }],
    [{ topLogprobs: 3 }, { Logprobs: 1, TopLogprobs: 3 }],
    [{ topLogprobs: 0 }, { Logprobs: 1, TopLogprobs: 1 }],
  ])('replaces what the file says: %o', (generation, fields) => {
    expect(options(yaml, ask(generation))).toMatchObject(fields)
  })

  it('left out keeps the setting of the file', () => {
    const { parameters } = model(yaml)
    expect(options(yaml)).toMatchObject({
      Temperature: parameters.temperature,
      TopK: 9,
      Tokens: 9,
      Seed: 9,
      Penalty: 1.9,
    })
    expect(options(yaml, ask({ temperature: undefined }))).toMatchObject({ Temperature: 0.9 })
  })

  it('ends log-probabilities', () => {
    expect(options('parameters: {logprobs: yes}', ask({ logprobs: false }))).toMatchObject({ Logprobs: undefined })
  })

  it('adds to the stop words', () => {
    expect(options('stopwords: [a, b]', ask({ stop: ['b', 'c'] })).StopPrompts).toEqual(['a', 'b', 'b', 'c'])
  })

  it('moves a fixed seed on with each choice', () => {
    const seeds = [0, 1, 2].map(
      (choice) => toPredictOptions(model('parameters: {seed: 7}'), ask(), { ...CONTEXT, choice }).Seed,
    )
    expect(seeds).toEqual([7, 8, 9])
    const end = toPredictOptions(model(''.concat('x: 1')), ask({ seed: 2 ** 31 - 1 }), { ...CONTEXT, choice: 1 })
    expect(end.Seed).toBe(-(2 ** 31))
  })

  it('gets a random seed of 31 bits when neither request nor file has one', () => {
    const seeds = Array.from(
      { length: 20 },
      () => toPredictOptions(model('threads: 1'), ask(), { correlationId: '', choice: 0 }).Seed ?? -1,
    )
    for (const seed of seeds) expect(seed >= 0 && seed < 2 ** 31).toBe(true)
    expect(new Set(seeds).size).toBeGreaterThan(1)
  })
})

describe('metadata', () => {
  it.each<[string, Partial<PredictionInput>, Record<string, string>]>([
    ['threads: 1', {}, {}],
    ['reasoning: {disable: true}', {}, { enable_thinking: 'false', chat_template_kwargs: '{"enable_thinking":false}' }],
    ['reasoning: {disable: false}', {}, { enable_thinking: 'true', chat_template_kwargs: '{"enable_thinking":true}' }],
    [
      'threads: 1',
      { reasoningEffort: 'none' },
      {
        enable_thinking: 'false',
        reasoning_effort: 'none',
        chat_template_kwargs: '{"enable_thinking":false,"reasoning_effort":"none"}',
      },
    ],
    [
      'threads: 1',
      { reasoningEffort: 'High' },
      {
        enable_thinking: 'true',
        reasoning_effort: 'High',
        chat_template_kwargs: '{"enable_thinking":true,"reasoning_effort":"High"}',
      },
    ],
    [
      'reasoning: {disable: true}',
      { reasoningEffort: 'high' },
      {
        enable_thinking: 'false',
        reasoning_effort: 'high',
        chat_template_kwargs: '{"enable_thinking":false,"reasoning_effort":"high"}',
      },
    ],
    ['threads: 1', { thinking: true }, { enable_thinking: 'true', chat_template_kwargs: '{"enable_thinking":true}' }],
    [
      'reasoning: {disable: true}',
      { thinking: true },
      { enable_thinking: 'false', chat_template_kwargs: '{"enable_thinking":false}' },
    ],
    [
      'threads: 1',
      { thinking: false, reasoningEffort: 'high' },
      {
        enable_thinking: 'false',
        reasoning_effort: 'high',
        chat_template_kwargs: '{"enable_thinking":false,"reasoning_effort":"high"}',
      },
    ],
    [
      'reasoning_effort: low',
      {},
      {
        enable_thinking: 'true',
        reasoning_effort: 'low',
        chat_template_kwargs: '{"enable_thinking":true,"reasoning_effort":"low"}',
      },
    ],
    [
      'threads: 1',
      { reasoningEffort: 'odd' },
      { reasoning_effort: 'odd', chat_template_kwargs: '{"reasoning_effort":"odd"}' },
    ],
    [
      'chat_template_kwargs: {preserve: true, n: 3, mode: a}',
      { metadata: { mode: 'b', other: 'false', chat_template_kwargs: '{"evil":1}', mcp_servers: 'x' } },
      {
        mode: 'b',
        other: 'false',
        chat_template_kwargs: '{"preserve":true,"n":3,"mode":"b","other":false}',
      },
    ],
    [
      'reasoning: {disable: true}',
      { metadata: { enable_thinking: 'true' } },
      { enable_thinking: 'true', chat_template_kwargs: '{"enable_thinking":true}' },
    ],
  ])('%s %o', (yaml, more, metadata) => {
    expect(options(yaml, ask({}, more)).Metadata).toEqual(metadata)
  })
})

describe('the conversation', () => {
  it('goes as messages, for the template of the weights', () => {
    const request = ask(
      {},
      {
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u', name: 'ann' },
          {
            role: 'assistant',
            content: '',
            reasoning: 'hm',
            toolCalls: [{ id: 'call-1', name: 'f', arguments: '{"x": 1.0}' }],
          },
          { role: 'tool', content: 't', toolCallId: 'call-1', name: 'f' },
        ],
      },
    )
    const sent = options('threads: 1', request)
    expect(sent).toMatchObject({ UseTokenizerTemplate: true, CorrelationId: 'c-1' })
    expect(sent.Prompt).toBeUndefined()
    expect(sent.Messages).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'u', name: 'ann' },
      {
        role: 'assistant',
        content: '',
        reasoningContent: 'hm',
        toolCalls: '[{"index":0,"id":"call-1","type":"function","function":{"name":"f","arguments":"{\\"x\\": 1.0}"}}]',
      },
      { role: 'tool', content: 't', toolCallId: 'call-1', name: 'f' },
    ])
  })

  it('goes as a prompt once the templates of the file have written one', () => {
    const sent = toPredictOptions(model('threads: 1'), ask({}), { ...CONTEXT, prompt: '<user>hi' })
    expect(sent.Prompt).toBe('<user>hi')
    expect(sent.UseTokenizerTemplate ?? sent.Messages ?? sent.Tools).toBeUndefined()
  })

  it('has its tools beside a prompt too', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const prompt = { ...CONTEXT, prompt: '<user>hi' }
    const sent = toPredictOptions(model('threads: 1'), ask({}, { tools, toolChoice: 'required' }), prompt)
    expect(sent).toMatchObject({ Prompt: '<user>hi', Tools: JSON.stringify(tools), ToolChoice: '"required"' })
    expect(sent.UseTokenizerTemplate ?? sent.Messages).toBeUndefined()
    expect(toPredictOptions(model('threads: 1'), ask({}, { tools, toolChoice: 'none' }), prompt).Tools).toBeUndefined()
  })

  it('has tools where there are some and they may be used', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect(options('threads: 1', ask({}, { tools }))).toMatchObject({
      Tools: JSON.stringify(tools),
      ToolChoice: undefined,
    })
    expect(options('threads: 1', ask({}, { tools, toolChoice: 'required' })).ToolChoice).toBe('"required"')
    const one = { type: 'function', function: { name: 'f' } }
    expect(options('threads: 1', ask({}, { tools, toolChoice: one })).ToolChoice).toBe(JSON.stringify(one))
    for (const more of [{ tools, toolChoice: 'none' }, { tools: [] }, { toolChoice: 'auto' }]) {
      const sent = options('threads: 1', ask({}, more))
      expect(sent.Tools ?? sent.ToolChoice).toBeUndefined()
    }
  })
})

it('sends defaults like anything else', () => {
  const server = { threads: 0, defaultThreads: 2, f16: true, debug: false, contextSize: -1 }
  const config = withDefaults(model('parameters: {model: x.gguf}'), server)
  expect(toPredictOptions(config, ask(), CONTEXT)).toMatchObject({
    Temperature: 0.9,
    TopP: 0.95,
    TopK: 40,
    MinP: 0,
    Tokens: 0,
    TypicalP: 1,
    TailFreeSamplingZ: 1,
    MirostatTAU: 5,
    Threads: 2,
    F16KV: true,
    MMap: true,
    PromptCacheAll: true,
  })
})

describe('embeddings', () => {
  it('are asked for with text or tokens', () => {
    const config = model('parameters: {model: e.gguf}\nthreads: 2')
    expect(toEmbeddingOptions(config, 'text', { correlationId: 'c' })).toMatchObject({
      Embeddings: 'text',
      Threads: 2,
      ModelIdentity: 'e.gguf',
      CorrelationId: 'c',
    })
    const tokens = toEmbeddingOptions(config, [1, 2], { correlationId: 'c' })
    expect(tokens.EmbeddingTokens).toEqual([1, 2])
    expect(tokens.Embeddings).toBeUndefined()
  })
})

describe('media', () => {
  const media = { images: ['AAAA', 'BBBB'], audio: ['CCCC'], video: [] }

  it.each([undefined, 'a prompt'])('are sent whether server or backend writes the prompt: %j', (prompt) => {
    const fields = toPredictOptions(model(''), ask({}, { media }), { ...CONTEXT, prompt })
    expect(fields).toMatchObject({ Images: ['AAAA', 'BBBB'], Audios: ['CCCC'], Videos: [] })
  })

  it('are no field of requests without them', () => {
    expect(Object.keys(options(''))).not.toContain('Images')
  })
})
