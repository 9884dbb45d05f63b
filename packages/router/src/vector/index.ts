/**
 * Vectors in memory with exact search by cosine. Knows nothing of routers: a service of stores is built on it too.
 *
 * @module
 */

export { VectorError, type VectorErrorCode } from './errors.ts'
export type { KernelKind } from './kernel.ts'
export type {
  FoundEntry,
  Vector,
  VectorEntry,
  VectorFindOptions,
  VectorIndex,
  VectorReadOptions,
} from './ports.ts'
export { createVectorIndex, MAX_DIMENSION, type MemoryVectorIndex, type VectorIndexOptions } from './vector-index.ts'
