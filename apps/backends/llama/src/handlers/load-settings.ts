import path from 'node:path'
import type { ModelOptions } from '@svc/backend-client/proto'
import { CACHE_TYPES, type CacheType, type ModelSettings } from '../engine/settings.ts'
import { invalidRequest } from '../errors.ts'

/** Predictions side by side where no option names a number. */
const DEFAULT_SLOTS = 4
const MAX_SLOTS = 64
const DEFAULT_WAITING = 128
const MAX_WAITING = 100_000
const DEFAULT_NORM = 2
const ON = new Set(['on', 'true', 'enabled', 'yes', '1'])
const OFF = new Set(['off', 'false', 'disabled', 'no', '0'])
/** Fields that would change the answers and that this backend cannot honour. */
const REFUSED = ['LoraAdapter', 'LoraAdapters', 'LoraBase'] as const
/** Fields whose wish can go unheard, with a line in the log. */
const IGNORED = ['MMProj', 'DraftModel', 'RopeScaling', 'RopeFreqBase', 'RopeFreqScale', 'Overrides'] as const

/** The settings in a LoadModel request. @throws LlamaError `invalid_request` for what cannot be honoured */
export function toModelSettings(request: ModelOptions): ModelSettings {
  const refused = REFUSED.filter((field) => isSet(request[field]))
  if (refused.length > 0) throw invalidRequest(`not supported by this backend: ${refused.join(', ')}`)
  const options = parseOptions(request.Options)
  return {
    file: path.resolve(request.ModelFile || path.join(request.ModelPath, request.Model)),
    contextSize: request.ContextSize,
    threads: request.Threads,
    batchSize: request.NBatch,
    slots: readInteger(options, ['parallel', 'n_parallel'], { min: 1, max: MAX_SLOTS, otherwise: DEFAULT_SLOTS }),
    maxWaiting: readInteger(options, ['queue'], { min: 0, max: MAX_WAITING, otherwise: DEFAULT_WAITING }),
    mmap: request.MMap,
    mlock: request.MLock,
    embeddings: request.Embeddings,
    embeddingNorm: readInteger(options, ['embd_normalize'], { min: -1, max: 64, otherwise: DEFAULT_NORM }),
    flashAttention: readSwitch(request.FlashAttention),
    cacheTypeKey: readCacheType(request.CacheTypeKey, 'CacheTypeKey'),
    cacheTypeValue: readCacheType(request.CacheTypeValue, 'CacheTypeValue'),
  }
}

/** Names of the fields of a request that will not be honoured. */
export function findIgnoredFields(request: ModelOptions): readonly string[] {
  return IGNORED.filter((field) => isSet(request[field]))
}

/** Options of the form `name:value`; a name alone is "true". Names are lower-case; the last one counts. */
export function parseOptions(options: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    options.map((option) => {
      const colon = option.indexOf(':')
      const name = colon < 0 ? option : option.slice(0, colon)
      return [name.trim().toLowerCase(), colon < 0 ? 'true' : option.slice(colon + 1).trim()]
    }),
  )
}

interface IntegerRange {
  readonly min: number
  readonly max: number
  readonly otherwise: number
}

function readInteger(
  options: ReadonlyMap<string, string>,
  names: readonly string[],
  { min, max, otherwise }: IntegerRange,
): number {
  const name = names.find((candidate) => options.has(candidate))
  if (name === undefined) return otherwise
  const text = options.get(name) ?? ''
  const value = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw invalidRequest(`option ${name} must be a number of ${min} to ${max}`)
  return value
}

function readSwitch(text: string): boolean | 'auto' {
  const word = text.trim().toLowerCase()
  if (ON.has(word)) return true
  if (OFF.has(word)) return false
  if (word === '' || word === 'auto') return 'auto'
  throw invalidRequest('FlashAttention must be auto, on or off', 'FlashAttention')
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
