/** Types a cache of keys or values can have. Anything but F16 is an experiment of the engine. */
export const CACHE_TYPES = ['F32', 'F16', 'BF16', 'Q8_0', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'IQ4_NL'] as const

/** One of {@link CACHE_TYPES}. */
export type CacheType = (typeof CACHE_TYPES)[number]

/** How the vectors of the tokens of a text become one; none: they do not. */
export const POOLINGS = ['none', 'mean', 'cls', 'last', 'rank'] as const

/** One of {@link POOLINGS}. */
export type Pooling = (typeof POOLINGS)[number]

/** An adapter laid over the weights. */
export interface LoraSettings {
  /** Absolute path. */
  readonly filePath: string
  readonly scale: number
}

/** How to load a model. */
export interface ModelSettings {
  /** Absolute path. */
  readonly file: string
  /** Tokens of one slot; 0 or less: as many as the model was trained on. */
  readonly contextSize: number
  /** 0 or less: physical cores less one, at least one. */
  readonly threads: number
  /** Layers that a graphics card is to hold, where the engine has one; a very large number: all that fit. */
  readonly gpuLayers: number
  /** Tokens evaluated together at most; 0 or less: 512. */
  readonly batchSize: number
  /** Predictions side by side. */
  readonly slots: number
  /** Requests that may wait for a slot. */
  readonly maxWaiting: number
  /** Whether the oldest tokens of a full slot make room for new ones. */
  readonly trims: boolean
  /** Least share of a prompt that a slot must remember to be chosen for it. */
  readonly similarity: number
  /** Whether models with a sliding window remember everything: more memory, and any prefix can be reused. */
  readonly swaFull: boolean
  /** Adapters laid over the weights when text is generated. */
  readonly loras: readonly LoraSettings[]
  /** Words that begin the grammar of a request; none: grammars begin with the answer. */
  readonly grammarTriggers: readonly string[]
  /** Whether the values of the weights are checked while they are loaded. */
  readonly checkTensors: boolean
  readonly mmap: boolean
  readonly mlock: boolean
  /** Whether the model is there to embed. */
  readonly embeddings: boolean
  readonly embeddingNorm: number
  /** Left out: as the file says. */
  readonly pooling: Pooling | undefined
  /** Whether the model is there to rank texts. */
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
