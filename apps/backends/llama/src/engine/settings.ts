/** Types of the cache of keys or values. All except F16 are experimental in the engine. */
export const CACHE_TYPES = ['F32', 'F16', 'BF16', 'Q8_0', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'IQ4_NL'] as const

/** One of {@link CACHE_TYPES}. */
export type CacheType = (typeof CACHE_TYPES)[number]

/** Methods of pooling token vectors to one vector of a text. `none`: no pooling. */
export const POOLINGS = ['none', 'mean', 'cls', 'last', 'rank'] as const

/** One of {@link POOLINGS}. */
export type Pooling = (typeof POOLINGS)[number]

/** An adapter applied to the weights. */
export interface LoraSettings {
  /** Absolute path. */
  readonly filePath: string
  readonly scale: number
}

/** Settings of loading a model. */
export interface ModelSettings {
  /** Absolute path. */
  readonly file: string
  /** Tokens of one slot; 0 or less: the model's training size. */
  readonly contextSize: number
  /** 0 or less: physical cores less one, at least one. */
  readonly threads: number
  /** Layers for a graphics card, if the engine has one; a very large number: all that fit. */
  readonly gpuLayers: number
  /** Tokens evaluated together at most; 0 or less: 512. */
  readonly batchSize: number
  /** Number of parallel predictions. */
  readonly slots: number
  /** Requests that may wait for a slot. */
  readonly maxWaiting: number
  /** Whether the oldest tokens of a full slot are dropped for new ones. */
  readonly trims: boolean
  /** Least remembered share of a prompt for choosing a slot. */
  readonly similarity: number
  /** Whether models with a sliding window remember everything: more memory, but any prefix can be reused. */
  readonly swaFull: boolean
  /** Adapters applied to the weights for generation. */
  readonly loras: readonly LoraSettings[]
  /** Trigger words of a request's grammar. Without words, grammars begin with the answer. */
  readonly grammarTriggers: readonly string[]
  /** Whether the values of the weights are checked while they are loaded. */
  readonly checkTensors: boolean
  readonly mmap: boolean
  readonly mlock: boolean
  /** Whether the model is loaded to embed. */
  readonly embeddings: boolean
  readonly embeddingNorm: number
  /** Undefined: as the file says. */
  readonly pooling: Pooling | undefined
  /** Whether the model is loaded to rank texts. */
  readonly ranking: boolean
  /** Whether texts are ranked by their vectors rather than by a head of the model. */
  readonly rankByCosine: boolean
  /** Whether continuations may be scored. */
  readonly scoring: boolean
  /** Whether slots may be saved to files. */
  readonly slotFiles: boolean
  readonly flashAttention: boolean | 'auto'
  readonly cacheTypeKey: CacheType | undefined
  readonly cacheTypeValue: CacheType | undefined
}
