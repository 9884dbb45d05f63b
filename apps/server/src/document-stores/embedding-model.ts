import { CHUNK_LIMITS } from '@svc/documents'
import type { ModelDirectory } from '../catalog/resolve.ts'
import { leavesMachine } from '../catalog/serving.ts'
import type { Settings } from '../settings/settings.ts'

/** A model that may embed the files of a new store. */
export interface EmbeddingModelParts {
  readonly models: Pick<ModelDirectory, 'find' | 'findDefault'>
  readonly settings: Pick<Settings, 'get'>
}

/** Finds the model for stores that name none; empty when there is none. */
export function findEmbeddingModel({ models, settings }: EmbeddingModelParts): string {
  const chosen = settings.get('vector_store_model')
  if (chosen !== '') return chosen
  return models.findDefault('embeddings', (model) => !leavesMachine(model))?.name ?? ''
}

/** Part of the context of a model that a chunk may fill, because its tokens are estimated. */
const CONTEXT_SHARE = 0.75

/** Fits the size of chunks, in tokens, to the context of a model. */
export function fitChunkSize(model: string, wanted: number, { models }: Pick<EmbeddingModelParts, 'models'>): number {
  const context = models.find(model)?.gguf?.contextLength
  const size = context === undefined ? wanted : Math.min(wanted, Math.floor(context * CONTEXT_SHARE))
  return Math.max(CHUNK_LIMITS.least, size)
}
