import type { GgufSummary } from './gguf-summary.ts'

/** What weights answer with: text, vectors, or the rank of a text. */
export type WeightsKind = 'generator' | 'embedder' | 'ranker'

/** Architectures of encoders, which have nothing but vectors to answer with. */
const ENCODERS = /(?:^|-)bert|embed|^t5encoder$/
const POOLING = { mean: 1, first: 2, last: 3, rank: 4 }

/** What a model is for, as far as its header tells. */
export function weightsKind({ architecture, poolingType, hasChatTemplate }: GgufSummary): WeightsKind {
  if (poolingType === POOLING.rank) return 'ranker'
  if (ENCODERS.test(architecture)) return 'embedder'
  // Chat models may carry a mean pooling for vectors of their own; the other kinds are of models made for vectors.
  if (poolingType === POOLING.mean) return hasChatTemplate ? 'generator' : 'embedder'
  return poolingType === POOLING.first || poolingType === POOLING.last ? 'embedder' : 'generator'
}
