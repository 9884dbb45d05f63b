import { checkModelAccess } from '@svc/auth'
import { CHUNK_LIMITS } from '@svc/documents'
import type { ModelDirectory } from '../../../catalog/resolve.ts'
import { hasUsecase } from '../../../catalog/usecases.ts'
import type { Database } from '../../../db/database.ts'
import { refuseDocuments } from '../../../document-stores/document-errors.ts'
import type { DocumentStore } from '../../../document-stores/document-store.ts'
import type { Documents } from '../../../document-stores/documents.ts'
import { findEmbeddingModel, fitChunkSize } from '../../../document-stores/embedding-model.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import type { InnerCaller } from '../../../inference/core/inner-context.ts'
import type { Clock } from '../../../ports.ts'
import type { Settings } from '../../../settings/settings.ts'

/** Parts of the routes of vector stores. */
export interface VectorStoreParts {
  readonly documents: { open(): Promise<Documents> }
  readonly database: Pick<Database, 'queries'>
  readonly models: Pick<ModelDirectory, 'find' | 'findDefault'>
  readonly settings: Pick<Settings, 'get'>
  readonly bodies: BodyReader
  readonly compression: CompressionPolicy
  readonly clock: Clock
}

/** A model that may embed the files of a new store. */
type ModelParts = Pick<VectorStoreParts, 'models' | 'settings'>

/**
 * Checks that a model makes embeddings, and that the caller may use it.
 *
 * @throws {SvcError} `invalid_request`, `forbidden`
 */
export function checkEmbeddingModel(name: string, call: Call, { models }: ModelParts, param?: string): string {
  const model = models.find(name)
  if (model === undefined || !hasUsecase(model, 'embeddings')) {
    throw refuseDocuments('invalid_embedding_model', `"${name}" is not a model that makes embeddings`, param)
  }
  checkModelAccess(call.principal, model.name, model.name === name ? [] : [name])
  return name
}

/**
 * Makes sure that a store has a model that the caller may use, before files are added.
 *
 * @throws {SvcError} `invalid_request` where no model makes embeddings; `forbidden`
 */
export async function ensureModel(store: DocumentStore, call: Call, parts: VectorStoreParts): Promise<void> {
  const name = store.model || findEmbeddingModel(parts)
  if (name === '') {
    throw refuseDocuments('no_embedding_model', 'no model on this machine makes embeddings; install one, or name it')
  }
  checkEmbeddingModel(name, call, parts)
  if (store.model === '') await (await parts.documents.open()).stores.setModel(store.id, name)
}

/** Sizes of chunks where a request names none: those of OpenAI, or less for a model that reads less at once. */
export function chooseChunkSizes(
  store: string,
  parts: ModelParts,
): { readonly size: number; readonly overlap: number } {
  const size = fitChunkSize(store || findEmbeddingModel(parts), CHUNK_LIMITS.usual, parts)
  return { size, overlap: Math.floor(size / 2) }
}

/** The caller of a call, for its embeddings. */
export function toCaller(call: Call): InnerCaller {
  const { principal, requestId, log } = call
  return {
    ...{ principal, requestId, log },
    header: (name) => call.header(name),
    useModel: (model, through) => call.useModel(model, through),
  }
}
