/** Types a cache of keys or values can have. Anything but F16 is an experiment of the engine. */
export const CACHE_TYPES = ['F32', 'F16', 'BF16', 'Q8_0', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'IQ4_NL'] as const

/** One of {@link CACHE_TYPES}. */
export type CacheType = (typeof CACHE_TYPES)[number]

/** How to load a model. */
export interface ModelSettings {
  /** Absolute path. */
  readonly file: string
  /** Tokens of one slot; 0 or less: as many as the model was trained on. */
  readonly contextSize: number
  /** 0 or less: physical cores less one, at least one. */
  readonly threads: number
  /** Tokens evaluated together at most; 0 or less: 512. */
  readonly batchSize: number
  /** Predictions side by side. */
  readonly slots: number
  /** Requests that may wait for a slot. */
  readonly maxWaiting: number
  readonly mmap: boolean
  readonly mlock: boolean
  /** Whether the model is there to embed. */
  readonly embeddings: boolean
  readonly embeddingNorm: number
  readonly flashAttention: boolean | 'auto'
  readonly cacheTypeKey: CacheType | undefined
  readonly cacheTypeValue: CacheType | undefined
}
