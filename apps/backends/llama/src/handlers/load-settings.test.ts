import { ModelOptions } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import { findIgnoredFields, parseOptions, toModelSettings } from './load-settings.ts'

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
      batchSize: 0,
      slots: 4,
      maxWaiting: 128,
      mmap: false,
      mlock: false,
      embeddings: false,
      embeddingNorm: 2,
      flashAttention: 'auto',
      cacheTypeKey: undefined,
      cacheTypeValue: undefined,
    })
  })

  it('come from the fields and options of the request', () => {
    const Options = ['use_jinja:true', 'gpu', 'n_parallel:2', 'queue:5', 'embd_normalize:-1']
    const wishes = { ContextSize: 4096, Threads: 3, NBatch: 256, MMap: true, MLock: true, Embeddings: true }
    expect(settings({ ...wishes, Options, FlashAttention: 'on', CacheTypeKey: 'q8_0', CacheTypeValue: 'f16' })).toEqual(
      {
        file: '/models/a.gguf',
        contextSize: 4096,
        threads: 3,
        batchSize: 256,
        slots: 2,
        maxWaiting: 5,
        mmap: true,
        mlock: true,
        embeddings: true,
        embeddingNorm: -1,
        flashAttention: true,
        cacheTypeKey: 'Q8_0',
        cacheTypeValue: 'F16',
      },
    )
  })

  it('find the file by its name where no path is given', () => {
    expect(settings({ ModelFile: '', ModelPath: '/models', Model: 'b.gguf' }).file).toBe('/models/b.gguf')
  })

  it.each<[string, Fields]>([
    ['parallel', { Options: ['parallel:0'] }],
    ['parallel', { Options: ['parallel:65'] }],
    ['n_parallel', { Options: ['n_parallel:two'] }],
    ['queue', { Options: ['queue:-1'] }],
    ['FlashAttention', { FlashAttention: 'maybe' }],
    ['CacheTypeValue', { CacheTypeValue: 'q3' }],
    ['LoraAdapter, LoraAdapters', { LoraAdapter: 'x', LoraAdapters: ['y'] }],
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

describe('options', () => {
  it('are names and values, the last of a name counting', () => {
    expect([...parseOptions(['Gpu', 'a:1', ' b : x:y ', 'a:2'])]).toEqual([
      ['gpu', 'true'],
      ['a', '2'],
      ['b', 'x:y'],
    ])
  })
})

describe('fields that go unheard', () => {
  it('are named when they are set', () => {
    expect(findIgnoredFields(ModelOptions.fromPartial({}))).toEqual([])
    expect(findIgnoredFields(ModelOptions.fromPartial({ MMProj: 'x', RopeFreqBase: 5, Overrides: ['a=b'] }))).toEqual([
      'MMProj',
      'RopeFreqBase',
      'Overrides',
    ])
  })
})
