import path from 'node:path'
import type { ModelOptions } from '@svc/backend-client/proto'
import {
  parseOptions,
  readBoolean,
  readInteger,
  readNumber,
  readSwitch,
  readThreads,
  readWord,
} from '@svc/backend-kit/options'
import { CACHE_TYPES, type CacheType, type LoraSettings, type ModelSettings, POOLINGS } from '../engine/settings.ts'
import { invalidRequest } from '../errors.ts'
import { findIgnoredOptions, SLOT_OPTIONS } from './load-options.ts'

/** Default number of parallel predictions. */
const DEFAULT_SLOTS = 4
const MAX_SLOTS = 64
/** Limit of the engine. */
const DEFAULT_WAITING = 128
const MAX_WAITING = 100_000
const DEFAULT_NORM = 2
const DEFAULT_SIMILARITY = 0.1
const MAX_LORAS = 16
const MAX_TRIGGERS = 64
/** Fields that may be ignored, with a line in the log. */
const IGNORED = [
  ...(['MMProj', 'DraftModel', 'RopeScaling', 'RopeFreqBase', 'RopeFreqScale', 'Overrides'] as const),
  ...(['YarnExtFactor', 'YarnAttnFactor', 'YarnBetaFast', 'YarnBetaSlow', 'TensorSplit', 'MainGPU'] as const),
]

/**
 * Reads the settings in a LoadModel request. @throws LlamaError `invalid_request` for a setting that cannot be honoured
 */
export function toModelSettings(request: ModelOptions): ModelSettings {
  if (request.LoraBase !== '') throw invalidRequest('not supported by this backend: LoraBase', 'LoraBase')
  const options = parseOptions(request.Options)
  return {
    file: path.resolve(request.ModelFile || path.join(request.ModelPath, request.Model)),
    contextSize: request.ContextSize,
    threads: readThreads(request),
    gpuLayers: Math.max(0, request.NGPULayers),
    batchSize: request.NBatch,
    slots: readInteger(options, ['parallel', 'n_parallel'], { min: 1, max: MAX_SLOTS, otherwise: DEFAULT_SLOTS }),
    maxWaiting: readInteger(options, ['queue'], { min: 0, max: MAX_WAITING, otherwise: DEFAULT_WAITING }),
    trims: readBoolean(options, 'context_shift'),
    similarity: readNumber(options, ['slot_prompt_similarity', 'sps'], {
      min: 0,
      max: 1,
      otherwise: DEFAULT_SIMILARITY,
    }),
    swaFull: readBoolean(options, 'swa_full'),
    checkTensors: readBoolean(options, 'check_tensors'),
    loras: readLoras(request),
    grammarTriggers: readTriggers(request),
    mmap: request.MMap,
    mlock: request.MLock,
    embeddings: request.Embeddings,
    embeddingNorm: readInteger(options, ['embd_normalize'], { min: -1, max: 64, otherwise: DEFAULT_NORM }),
    pooling: readWord(options, ['pooling', 'pooling_type'], POOLINGS),
    ranking: request.Reranking,
    rankByCosine: readWord(options, ['rerank'], ['cosine', 'head']) === 'cosine',
    scoring: request.EnableScore,
    slotFiles: SLOT_OPTIONS.some((name) => (options.get(name) ?? '') !== ''),
    flashAttention: readSwitch(request.FlashAttention, 'FlashAttention'),
    cacheTypeKey: readCacheType(request.CacheTypeKey, 'CacheTypeKey'),
    cacheTypeValue: readCacheType(request.CacheTypeValue, 'CacheTypeValue'),
  }
}

/** Names of the fields and options of a request without an effect. */
export function findIgnored(request: ModelOptions): readonly string[] {
  const fields = IGNORED.filter((field) => isSet(request[field]))
  return [...fields, ...findIgnoredOptions(parseOptions(request.Options)).map((name) => `option ${name}`)]
}

/** Reads adapters with their scales. A scale of 0 and an absent scale mean 1: the contract cannot distinguish them. */
function readLoras(request: ModelOptions): readonly LoraSettings[] {
  const single = request.LoraAdapter === '' ? [] : [{ file: request.LoraAdapter, scale: request.LoraScale }]
  const many = request.LoraAdapters.map((file, index) => ({ file, scale: request.LoraScales[index] ?? 0 }))
  const all = [...single, ...many].filter(({ file }) => file !== '')
  if (all.length > MAX_LORAS) throw invalidRequest(`more than ${MAX_LORAS} adapters`, 'LoraAdapters')
  return all.map(({ file, scale }) => {
    if (!Number.isFinite(scale)) throw invalidRequest('the scale of an adapter is not a number', 'LoraScales')
    return { filePath: path.resolve(request.ModelPath, file), scale: scale === 0 ? 1 : scale }
  })
}

function readTriggers(request: ModelOptions): readonly string[] {
  const words = request.GrammarTriggers.map(({ word }) => word).filter((word) => word !== '')
  if (words.length > MAX_TRIGGERS) throw invalidRequest(`more than ${MAX_TRIGGERS} triggers`, 'GrammarTriggers')
  return words
}

function readCacheType(text: string, field: string): CacheType | undefined {
  if (text === '') return undefined
  const type = CACHE_TYPES.find((name) => name === text.toUpperCase())
  if (type === undefined) throw invalidRequest(`${field} must be one of ${CACHE_TYPES.join(', ').toLowerCase()}`, field)
  return type
}

function isSet(value: string | number | readonly unknown[]): boolean {
  return typeof value === 'number' ? value !== 0 : value.length > 0
}
