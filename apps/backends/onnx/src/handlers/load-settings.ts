import type { ModelOptions } from '@svc/backend-client/proto'
import {
  type LoadOptions,
  parseOptions,
  readBoolean,
  readInteger,
  readModelPath,
  readThreads,
  readWord,
} from '@svc/backend-kit/options'
import { AGGREGATIONS } from '@svc/pii/encoder'
import { type ModelSettings, POOLINGS, TASKS, type Task, type WEIGHT_SUFFIXES } from '../engine/settings.ts'

const DEFAULT_WAITING = 256
const DEFAULT_BATCH_TOKENS = 1024
const DEFAULT_NORM = 2
const MAX_COUNT = 999_999_999
/** Options with an effect in this backend. */
const HONOURED = new Set([
  ...['parallel', 'n_parallel', 'queue', 'dtype', 'task', 'pooling', 'pooling_type', 'embd_normalize', 'max_length'],
  ...['batch_tokens', 'truncate', 'rerank', 'rerank_label', 'aggregation', 'whole_words', 'overlap'],
])
/** Options whose effect this backend has anyway. */
const GIVEN = new Set(['use_jinja', 'jinja', 'gpu', 'warmup', 'cache_reuse', 'n_cache_reuse'])
const LORA_FIELDS = ['LoraAdapter', 'LoraBase'] as const
const WEIGHTS = [
  'fp32',
  'fp16',
  'q8',
  'int8',
  'uint8',
  'q4',
  'q4f16',
  'bnb4',
] as const satisfies readonly (keyof typeof WEIGHT_SUFFIXES)[]
const LIMITS = { parallel: 16, waiting: 100_000, norm: 64 } as const

/**
 * Reads the settings in a LoadModel request. @throws SvcError `invalid_request` for a setting that cannot be honoured
 */
export function toModelSettings(request: ModelOptions): ModelSettings {
  const options = parseOptions(request.Options)
  const count = (names: readonly string[], min: number, max: number, otherwise: number): number =>
    readInteger(options, names, { min, max, otherwise })
  const overlap = count(['overlap'], -1, MAX_COUNT, -1)
  return {
    path: readModelPath(request),
    weights: readWord(options, ['dtype'], WEIGHTS),
    task: readTask(options, request),
    threads: Math.max(1, readThreads(request)),
    parallel: count(['parallel', 'n_parallel'], 1, LIMITS.parallel, 1),
    maxWaiting: count(['queue'], 0, LIMITS.waiting, DEFAULT_WAITING),
    maxTokens: smallest(count(['max_length'], 0, MAX_COUNT, 0), request.ContextSize, request.MaxModelLen),
    batchTokens: count(['batch_tokens'], 1, MAX_COUNT, DEFAULT_BATCH_TOKENS),
    truncates: readBoolean(options, 'truncate'),
    pooling: readWord(options, ['pooling', 'pooling_type'], POOLINGS),
    embeddingNorm: count(['embd_normalize'], -1, LIMITS.norm, DEFAULT_NORM),
    rankByCosine: readWord(options, ['rerank'], ['cosine', 'head']) === 'cosine',
    rankLabel: options.get('rerank_label'),
    aggregation: readWord(options, ['aggregation'], AGGREGATIONS) ?? 'simple',
    wholeWords: !options.has('whole_words') || readBoolean(options, 'whole_words'),
    overlap: overlap < 0 ? undefined : overlap,
  }
}

/** Names of the fields and options of a request without an effect. */
export function findIgnored(request: ModelOptions): readonly string[] {
  const fields = LORA_FIELDS.filter((field) => request[field] !== '')
  const options = [...parseOptions(request.Options).keys()].filter(
    (name) => name !== '' && !HONOURED.has(name) && !GIVEN.has(name),
  )
  return [...fields, ...options.map((name) => `option ${name}`)]
}

function readTask(options: LoadOptions, { Embeddings, Reranking }: ModelOptions): Task | undefined {
  const named = readWord(options, ['task'], TASKS)
  if (named !== undefined || options.has('rerank')) return named
  if (Reranking && !Embeddings) return 'rank'
  return Embeddings && !Reranking ? 'embed' : undefined
}

function smallest(...limits: readonly number[]): number {
  const given = limits.filter((limit) => limit > 0)
  return given.length === 0 ? 0 : Math.min(...given)
}
