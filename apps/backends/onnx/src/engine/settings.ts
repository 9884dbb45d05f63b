import type { Aggregation } from '@svc/pii/encoder'

/** Methods of pooling token vectors to one vector of a text. `none`: no pooling. */
export const POOLINGS = ['mean', 'cls', 'last', 'max', 'none'] as const
export type Pooling = (typeof POOLINGS)[number]

/** Endings of the file of each kind of weights, as exporters name them. */
export const WEIGHT_SUFFIXES = {
  fp32: '',
  fp16: '_fp16',
  q8: '_quantized',
  int8: '_int8',
  uint8: '_uint8',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
} as const
export type WeightKind = keyof typeof WEIGHT_SUFFIXES

/** Tasks of a model: set by the host or, without a setting, found in the folder. */
export const TASKS = ['classify', 'embed', 'rank'] as const
export type Task = (typeof TASKS)[number]

/** Settings that decide how a model is loaded and how it answers. */
export interface ModelSettings {
  /** The model folder, or a file in it. Absolute. */
  readonly path: string
  readonly weights: WeightKind | undefined
  readonly task: Task | undefined
  /** Threads of one run, at least 1. */
  readonly threads: number
  /** Number of parallel runs; each holds the weights in memory once more. */
  readonly parallel: number
  /** Calls that may wait for a run. */
  readonly maxWaiting: number
  /** Most tokens of one text, special tokens included; 0: the model's own limit. */
  readonly maxTokens: number
  /** Most tokens of one run, padding included; a single text may always have the model's full length. */
  readonly batchTokens: number
  /** Whether texts that are too long to embed or rank are cut instead of refused. */
  readonly truncates: boolean
  readonly pooling: Pooling | undefined
  /** Scaling of vectors, see `normalizeVector` of the kit. */
  readonly embeddingNorm: number
  readonly rankByCosine: boolean
  /** Label whose probability is the score of a pair, for heads of more than two labels. */
  readonly rankLabel: string | undefined
  readonly aggregation: Aggregation
  /** Whether an entity that begins or ends inside a word extends to the whole word. */
  readonly wholeWords: boolean
  /** Tokens shared by two windows of a long text; undefined: a quarter. */
  readonly overlap: number | undefined
}
