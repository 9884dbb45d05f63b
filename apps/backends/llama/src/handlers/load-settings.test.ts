import { ModelOptions } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import { findIgnoredOptions } from './load-options.ts'
import { findIgnored, toModelSettings } from './load-settings.ts'

type Fields = Parameters<typeof ModelOptions.fromPartial>[0]

function settings(fields: Fields = {}): ReturnType<typeof toModelSettings> {
  return toModelSettings(ModelOptions.fromPartial({ ModelFile: '/models/a.gguf', ...fields }))
}

describe('settings of a model', () => {
  it('have defaults', () => {
    expect(settings()).toEqual({
      file: '/models/a.gguf',
      contextSize: 0,
      threads: 0,
      gpuLayers: 0,
      batchSize: 0,
      slots: 4,
      maxWaiting: 128,
      trims: false,
      similarity: 0.1,
      swaFull: false,
      checkTensors: false,
      loras: [],
      grammarTriggers: [],
      mmap: false,
      mlock: false,
      embeddings: false,
      embeddingNorm: 2,
      pooling: undefined,
      ranking: false,
      rankByCosine: false,
      scoring: false,
      slotFiles: false,
      flashAttention: 'auto',
      cacheTypeKey: undefined,
      cacheTypeValue: undefined,
    })
  })

  it('save slots with the option in any spelling, and not with an empty one', () => {
    for (const name of ['slot_save_path', '--slot-save-path', 'slot-save-path', '--slot_save_path']) {
      expect(settings({ Options: [`${name}:/slots`] }).slotFiles).toBe(true)
      expect(settings({ Options: [`${name}:`] }).slotFiles).toBe(false)
      expect(findIgnoredOptions(new Map([[name, '/slots']]))).toEqual([])
    }
  })

  it('come from the fields and options of the request', () => {
    const Options = [
      ...['use_jinja:true', 'gpu', 'n_parallel:2', 'queue:5', 'embd_normalize:-1', 'context_shift:true', 'sps:0.5'],
      ...['swa_full:1', 'check_tensors:on', 'pooling:mean', 'rerank:cosine', '--slot-save-path:/slots'],
    ]
    const wishes = { ContextSize: 4096, Threads: 3, NBatch: 256, MMap: true, MLock: true, Embeddings: true }
    const more = { NGPULayers: 7, Reranking: true, EnableScore: true, GrammarTriggers: [{ word: '<t>' }, { word: '' }] }
    const caches = { FlashAttention: 'on', CacheTypeKey: 'q8_0', CacheTypeValue: 'f16' }
    expect(settings({ ...wishes, ...more, ...caches, Options })).toEqual({
      file: '/models/a.gguf',
      contextSize: 4096,
      threads: 3,
      gpuLayers: 7,
      batchSize: 256,
      slots: 2,
      maxWaiting: 5,
      trims: true,
      similarity: 0.5,
      swaFull: true,
      checkTensors: true,
      loras: [],
      grammarTriggers: ['<t>'],
      mmap: true,
      mlock: true,
      embeddings: true,
      embeddingNorm: -1,
      pooling: 'mean',
      ranking: true,
      rankByCosine: true,
      scoring: true,
      slotFiles: true,
      flashAttention: true,
      cacheTypeKey: 'Q8_0',
      cacheTypeValue: 'F16',
    })
  })

  it('have adapters with their scales, below the folder of the models', () => {
    const lists = { LoraAdapters: ['b.gguf', '/c.gguf'], LoraScales: [0.5] }
    expect(settings({ ModelPath: '/models', LoraAdapter: 'a.gguf', ...lists }).loras).toEqual([
      { filePath: '/models/a.gguf', scale: 1 },
      { filePath: '/models/b.gguf', scale: 0.5 },
      { filePath: '/c.gguf', scale: 1 },
    ])
  })

  it('find the file by its name where no path is given', () => {
    expect(settings({ ModelFile: '', ModelPath: '/models', Model: 'b.gguf' }).file).toBe('/models/b.gguf')
  })

  it.each<[string, Fields]>([
    ['parallel', { Options: ['parallel:0'] }],
    ['parallel', { Options: ['parallel:65'] }],
    ['Threads', { Threads: 513 }],
    ['n_parallel', { Options: ['n_parallel:two'] }],
    ['queue', { Options: ['queue:-1'] }],
    ['FlashAttention', { FlashAttention: 'maybe' }],
    ['CacheTypeValue', { CacheTypeValue: 'q3' }],
    ['LoraBase', { LoraBase: 'x' }],
    ['adapters', { LoraAdapters: Array<string>(17).fill('x') }],
    ['scale', { LoraAdapter: 'x', LoraScale: Number.NaN }],
    ['triggers', { GrammarTriggers: Array.from({ length: 65 }, () => ({ word: 'x' })) }],
    ['context_shift', { Options: ['context_shift:maybe'] }],
    ['sps', { Options: ['sps:2'] }],
    ['pooling', { Options: ['pooling:sum'] }],
    ['rerank', { Options: ['rerank:yes'] }],
  ])('are refused for a bad %s', (name, fields) => {
    expect(() => settings(fields)).toThrow(name)
  })

  it.each([
    ['on', true],
    ['TRUE', true],
    ['0', false],
    ['disabled', false],
    ['auto', 'auto'],
    ['', 'auto'],
  ])('read the switch %j', (FlashAttention, expected) => {
    expect(settings({ FlashAttention }).flashAttention).toBe(expected)
  })
})

describe('fields and options that go unheard', () => {
  it('are named when they are set', () => {
    expect(findIgnored(ModelOptions.fromPartial({ Options: ['gpu', 'cache_reuse:256', 'parallel:2'] }))).toEqual([])
    const Options = ['kv_unified:true', 'parallel:2', 'spec_type:x']
    const request = { MMProj: 'x', RopeFreqBase: 5, Overrides: ['a=b'], Options }
    expect(findIgnored(ModelOptions.fromPartial(request))).toEqual([
      ...['MMProj', 'RopeFreqBase', 'Overrides'],
      ...['option kv_unified', 'option spec_type'],
    ])
  })
})
