import type { GgufSummary } from './gguf-summary.ts'

/** Output of weights: text, vectors, or the rank of a text. */
export type WeightsKind = 'generator' | 'embedder' | 'ranker'

/** Architectures of encoders, which only give vectors. */
const ENCODERS = /(?:^|-)bert|embed|^t5encoder$/
const POOLING = { mean: 1, first: 2, last: 3, rank: 4 }

/** Derives the kind of a model from its header. */
export function toWeightsKind({ architecture, poolingType, hasChatTemplate }: GgufSummary): WeightsKind {
  if (poolingType === POOLING.rank) return 'ranker'
  if (ENCODERS.test(architecture)) return 'embedder'
  // Chat models may have mean pooling for vectors of their own; other poolings belong to models made for vectors.
  if (poolingType === POOLING.mean) return hasChatTemplate ? 'generator' : 'embedder'
  return poolingType === POOLING.first || poolingType === POOLING.last ? 'embedder' : 'generator'
}
