import type { ModelOptions } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import { parseModelFile } from '../catalog/config-file.ts'
import { withDefaults } from '../catalog/defaults.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { toLoadRequest } from './to-load-request.ts'

const CONTEXT = { randomSeed: 12345 }

function model(yaml: string): ModelConfig {
  const { models, problems } = parseModelFile(`name: m\n${yaml}`, { file: 'm.yaml', folder: '/models', modifiedAt: 0 })
  expect(problems).toEqual([])
  const [config] = models
  if (config === undefined) throw new Error('not read')
  return config
}

function request(yaml: string, context: { randomSeed: number; vramBytes?: number } = CONTEXT) {
  return toLoadRequest(model(yaml), context)
}

describe('each key and the field it becomes', () => {
  it.each<[string, Partial<ModelOptions>]>([
    ['parameters: {model: sub/x.bin}', { Model: 'sub/x.bin', ModelFile: '/models/sub/x.bin', ModelPath: '/models' }],
    ['description: no weights', { Model: '', ModelFile: '', ModelPath: '/models' }],
    ['backend: local-store', { Model: 'store://m', ModelFile: '', ModelPath: '/models' }],
    ['backend: x\nknown_usecases: [stores]', { Model: 'store://m', ModelFile: '' }],
    ['backend: valkey\nparameters: {model: "store://x"}', { Model: 'store://x', ModelFile: '' }],
    ['context_size: 2048', { ContextSize: 2048 }],
    ['context_size: -1', { ContextSize: 4096 }],
    ['parameters: {seed: 7}', { Seed: 7 }],
    ['parameters: {seed: 0}', { Seed: 0 }],
    ['parameters: {seed: -1}', { Seed: 12345 }],
    ['description: no seed', { Seed: 12345 }],
    ['parameters: {batch: 64}', { NBatch: 64 }],
    ['parameters: {batch: 0}', { NBatch: 512 }],
    ['description: no batch', { NBatch: 512 }],
    ['gpu_layers: 0', { NGPULayers: 0 }],
    ['gpu_layers: 12', { NGPULayers: 12 }],
    ['description: all layers', { NGPULayers: 99999999 }],
    ['flash_attention: off', { FlashAttention: 'off' }],
    ['description: no flash', { FlashAttention: 'auto' }],
    ['mmap: true', { MMap: true }],
    ['mmap: true\nbackend: intel-sycl-f16-llama-cpp', { MMap: false }],
    ['mmap: true\nbackend: SYCL', { MMap: false }],
    ['description: no mmap', { MMap: false }],
    ['mmlock: true', { MLock: true }],
    ['low_vram: true', { LowVRAM: true }],
    ['f16: true', { F16Memory: true }],
    ['embeddings: true', { Embeddings: true }],
    ['reranking: true', { Reranking: true }],
    ['numa: true', { NUMA: true }],
    ['no_mulmatq: true', { NoMulMatQ: true }],
    ['no_kv_offloading: true', { NoKVOffload: true }],
    ['cuda: true', { CUDA: true }],
    ['diffusers: {cuda: true}', { CUDA: true }],
    ['cuda: false\ndiffusers: {cuda: false}', { CUDA: false }],
    ['cache_type_k: q8_0', { CacheTypeKey: 'q8_0' }],
    ['cache_type_v: q4_0', { CacheTypeValue: 'q4_0' }],
    ['threads: 3', { Threads: 3 }],
    ['threads: 0', { Threads: 1 }],
    ['mmproj: p.gguf', { MMProj: '/models/p.gguf' }],
    ['draft_model: d.gguf', { DraftModel: '/models/d.gguf' }],
    ['options: [a:1, gpu]', { Options: ['a:1', 'gpu'] }],
    ['overrides: [k=int:1]', { Overrides: ['k=int:1'] }],
    ['engine_args: {a: 1, b: {c: [true]}}', { EngineArgs: '{"a":1,"b":{"c":[true]}}' }],
    [
      'function: {grammar: {triggers: [{word: <a>}, {word: <b>}]}}',
      { GrammarTriggers: [{ word: '<a>' }, { word: '<b>' }] },
    ],
    ['known_usecases: [score]', { EnableScore: true }],
    ['known_usecases: [chat]', { EnableScore: false }],
    ['disable_log_stats: true', { DisableLogStatus: true }],
    [
      'limit_mm_per_prompt: {image: 1, video: 2, audio: 3}',
      { LimitImagePerPrompt: 1, LimitVideoPerPrompt: 2, LimitAudioPerPrompt: 3 },
    ],
    ['type: cross-encoder', { Type: 'cross-encoder' }],
    ['backend: sentencetransformers', { Type: 'SentenceTransformer' }],
    ['backend: sentencetransformers\ntype: mine', { Type: 'mine' }],
    ['parameters: {tokenizer: t}', { Tokenizer: 't' }],
    ['quantization: awq', { Quantization: 'awq' }],
    ['load_format: auto', { LoadFormat: 'auto' }],
    ['dtype: bfloat16', { DType: 'bfloat16' }],
    ['gpu_memory_utilization: 0.9', { GPUMemoryUtilization: 0.9 }],
    ['trust_remote_code: true', { TrustRemoteCode: true }],
    ['enforce_eager: true', { EnforceEager: true }],
    ['swap_space: 4', { SwapSpace: 4 }],
    ['max_model_len: 5', { MaxModelLen: 5 }],
    ['tensor_parallel_size: 2', { TensorParallelSize: 2 }],
    ['lora_adapter: a', { LoraAdapter: 'a' }],
    ['lora_adapters: [a, b]', { LoraAdapters: ['a', 'b'] }],
    ['lora_base: b', { LoraBase: 'b' }],
    ['lora_scale: 0.5', { LoraScale: 0.5 }],
    ['lora_scales: [0.5, 1]', { LoraScales: [0.5, 1] }],
    ['rope_scaling: yarn', { RopeScaling: 'yarn' }],
    ['yarn_ext_factor: 1.5', { YarnExtFactor: 1.5 }],
    ['yarn_attn_factor: 1.5', { YarnAttnFactor: 1.5 }],
    ['yarn_beta_fast: 32', { YarnBetaFast: 32 }],
    ['yarn_beta_slow: 1', { YarnBetaSlow: 1 }],
    ['parameters: {rope_freq_base: 10000, rope_freq_scale: 0.5}', { RopeFreqBase: 10000, RopeFreqScale: 0.5 }],
    ['rms_norm_eps: 1e-5', { RMSNormEps: 1e-5 }],
    ['ngqa: 8', { NGQA: 8 }],
    ['main_gpu: "1"', { MainGPU: '1' }],
    ['tensor_split: 1,2', { TensorSplit: '1,2' }],
    ['cfg_scale: 7.5', { CFGScale: 7.5 }],
    ['tts: {audio_path: ref.wav}', { AudioPath: 'ref.wav' }],
    [
      'diffusers: {pipeline_type: P, scheduler_type: S, img2img: yes, clip_model: C, clip_subfolder: F, clip_skip: 2, control_net: N}',
      {
        PipelineType: 'P',
        SchedulerType: 'S',
        IMG2IMG: true,
        CLIPModel: 'C',
        CLIPSubfolder: 'F',
        CLIPSkip: 2,
        ControlNet: 'N',
      },
    ],
    ['slot_save_path: slots', { Options: ['--slot-save-path:/models/slots'] }],
    ['slot_save_path: /var/slots', { Options: ['--slot-save-path:/var/slots'] }],
    ['slot_save_path: ""', { Options: [] }],
    ['slot_save_path: slots\noptions: ["slot_save_path:"]', { Options: [] }],
    ['slot_save_path: slots\noptions: ["a:b", "slot_save_path:"]', { Options: ['a:b'] }],
    ...['slot_save_path', '--slot-save-path', 'slot-save-path', '--slot_save_path', ' Slot_Save_Path '].flatMap(
      (name): [string, object][] => [
        [`options: ["${name}:other"]`, { Options: ['--slot-save-path:/models/other'] }],
        [
          `slot_save_path: slots\noptions: ["--slot-save-path:", "${name}: other"]`,
          { Options: ['--slot-save-path:/models/other'] },
        ],
      ],
    ),
  ])('%s', (yaml, fields) => {
    expect(request(yaml)).toMatchObject(fields)
  })

  it('leaves everything else out: only keys of the file are sent', () => {
    const sent = Object.entries(request('parameters: {model: x}')).filter(([, value]) => value !== undefined)
    expect(Object.fromEntries(sent)).toEqual({
      Model: 'x',
      ModelFile: '/models/x',
      ModelPath: '/models',
      ContextSize: 4096,
      NBatch: 512,
      Seed: 12345,
      NGPULayers: 99999999,
      Threads: 1,
      FlashAttention: 'auto',
      MMap: false,
      CUDA: false,
      Options: [],
      Overrides: [],
      GrammarTriggers: [],
      EnableScore: false,
    })
  })
})

describe('proxies', () => {
  const block =
    'proxy: {upstream_url: "https://u/v1", mode: translate, provider: provider_b, api_key_env: K, upstream_model: big, request_timeout_seconds: 9, cache_prompt: on}'

  it('are told where to forward, in the words of the contract', () => {
    expect(request(`backend: cloud-proxy\n${block}`).Proxy).toEqual({
      upstreamUrl: 'https://u/v1',
      mode: 'translate',
      provider: 'anthropic',
      apiKeyEnv: 'K',
      apiKeyFile: undefined,
      upstreamModel: 'big',
      requestTimeoutSeconds: 9,
      cachePrompt: true,
    })
    expect(request('backend: cloud-proxy\nproxy: {provider: openai}').Proxy).toMatchObject({ provider: 'openai' })
  })

  it('get keys without a field of their own as options', () => {
    const keys = 'translate: full, sampling: send, limit_field: max_tokens, stream_usage: no'
    expect(request(`backend: cloud-proxy\nproxy: {provider: openai, ${keys}}`).Options).toEqual([
      'translate:full',
      'sampling:send',
      'limit_field:max_tokens',
      'stream_usage:false',
    ])
    expect(request(`backend: other\nproxy: {${keys}}`).Options).toEqual([])
  })

  it('are the only ones that are', () => {
    expect(request(`backend: other\n${block}`).Proxy).toBeUndefined()
  })
})

describe('the batch', () => {
  it.each(['embeddings: true', 'reranking: true', 'known_usecases: [score]'])(
    'is the whole context with %s',
    (yaml) => {
      expect(request(`${yaml}\ncontext_size: 2000`).NBatch).toBe(2000)
      expect(request(`${yaml}\ncontext_size: 2000\nparameters: {batch: 99}`).NBatch).toBe(99)
    },
  )

  it('fits a quarter of the graphics memory, and is never less than usual', () => {
    const embed = (vramBytes: number) =>
      request('embeddings: true\ncontext_size: 8192', { randomSeed: 1, vramBytes }).NBatch
    expect(embed(4 * 2 ** 30)).toBe(8192)
    expect(embed(1 * 2 ** 30)).toBe(2048)
    expect(embed(2 ** 20)).toBe(512)
  })
})

describe('managed snapshots', () => {
  const key = 'a'.repeat(64)
  const artifact = (name: string, target: string, extra = '') =>
    `{name: ${name}, target: ${target}, source: {type: huggingface}, resolved: {cache_key: ${key}${extra}}}`

  it('take the place of the model file, companions go with the options', () => {
    const yaml = `parameters: {model: org/m}\noptions: [text_encoder:mine]\nartifacts: [${artifact('main', 'model')}, ${artifact('vae', 'companion')}, ${artifact('text_encoder', 'companion')}]`
    expect(request(yaml)).toMatchObject({
      Model: 'org/m',
      ModelFile: `/models/.artifacts/huggingface/${key}/snapshot`,
      Options: ['text_encoder:mine', `vae:.artifacts/huggingface/${key}/snapshot`],
    })
  })

  it('are one file where they say so', () => {
    const yaml = `parameters: {model: org/m}\nartifacts: [${artifact('main', 'model', ', primary_file: x.gguf')}]`
    expect(request(yaml).ModelFile).toBe(`/models/.artifacts/huggingface/${key}/snapshot/x.gguf`)
  })

  it('count once they are there', () => {
    expect(request('parameters: {model: org/m}\nartifacts: [{name: a, target: model}]').ModelFile).toBe('/models/org/m')
  })

  it('leads no path out of the folder of snapshots', () => {
    const root = `/models/.artifacts/huggingface/${key}/snapshot`
    const load = (source: string, resolved: string) =>
      request(
        `parameters: {model: m}\nartifacts: [{name: a, target: model, source: {type: ${source}}, resolved: {cache_key: ${resolved}}}]`,
      ).ModelFile
    expect(load('../../..', key)).toBe(root)
    for (const file of ['../../x', '/etc/passwd', 'a/../../x', '"..\\\\x"']) {
      expect(load('huggingface', `${key}, primary_file: ${file}`)).toBe(root)
    }
    expect(load('huggingface', `"../${key}"`)).toBe('/models/m')
  })
})

it('refuses weights that are known to be damaged', () => {
  const damaged = { ...model('parameters: {model: x.gguf}'), weightsError: 'file "x.gguf" is cut off' }
  expect(() => toLoadRequest(damaged, CONTEXT)).toThrowError(
    expect.objectContaining({ code: 'model_file_unusable', message: 'file "x.gguf" is cut off' }),
  )
})

it('leaves weights that are missing here to the backend, which may run elsewhere', () => {
  const elsewhere = { ...model('parameters: {model: x.gguf}'), weightsMissing: true }
  expect(toLoadRequest(elsewhere, CONTEXT)).toMatchObject({ Model: 'x.gguf', ModelFile: '/models/x.gguf' })
})

it('says the same of the same model every time', () => {
  const server = { threads: 0, defaultThreads: 2, f16: true, debug: false, contextSize: 512 }
  const yaml = 'parameters: {model: x.gguf, temperature: 0.1}\nembeddings: true'
  const once = toLoadRequest(withDefaults(model(yaml), server), CONTEXT)
  expect(JSON.stringify(toLoadRequest(withDefaults(model(yaml), server), CONTEXT))).toBe(JSON.stringify(once))
})
