import type { ChunkingStrategy, FileBatch, FileCounts, VectorStore, VectorStoreFile } from '@svc/wire/openai'
import {
  type Attributes,
  type DocumentBatch,
  type DocumentCounts,
  type DocumentFault,
  type DocumentFile,
  type DocumentStatus,
  type DocumentStore,
  findExpiry,
} from '../../../document-stores/document-store.ts'

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

/** Writes a store. @param now milliseconds since the epoch */
export function writeStore(store: DocumentStore, counts: DocumentCounts, now: number): VectorStore {
  const expiry = findExpiry(store)
  const isExpired = expiry !== undefined && expiry <= now
  return {
    id: store.id,
    object: 'vector_store',
    created_at: toSeconds(store.createdAt),
    name: store.name,
    description: store.description,
    usage_bytes: counts.usageBytes,
    file_counts: writeCounts(counts),
    status: isExpired ? 'expired' : counts.in_progress > 0 ? 'in_progress' : 'completed',
    ...(store.expiresDays === null ? {} : { expires_after: { anchor: 'last_active_at', days: store.expiresDays } }),
    expires_at: expiry === undefined ? null : toSeconds(expiry),
    last_active_at: toSeconds(store.lastActiveAt),
    metadata: JSON.parse(store.metadata) as Record<string, string>,
    embedding_model: store.model === '' ? null : store.model,
  }
}

function writeCounts({ usageBytes: _, ...counts }: DocumentCounts): FileCounts {
  return counts
}

/** Writes a file of a store. */
export function writeStoreFile(file: DocumentFile): VectorStoreFile {
  const { errorCode, errorMessage } = file
  return {
    id: file.id,
    object: 'vector_store.file',
    created_at: toSeconds(file.createdAt),
    vector_store_id: file.storeId,
    status: file.status as DocumentStatus,
    last_error: errorCode === null ? null : { code: errorCode as DocumentFault, message: errorMessage ?? '' },
    usage_bytes: file.usageBytes,
    attributes: JSON.parse(file.attributes) as Attributes,
    chunking_strategy: writeStrategy(file),
  }
}

function writeStrategy({ chunkSize, chunkOverlap }: DocumentFile): ChunkingStrategy {
  return { type: 'static', static: { max_chunk_size_tokens: chunkSize, chunk_overlap_tokens: chunkOverlap } }
}

/** Writes a batch. */
export function writeBatch(batch: DocumentBatch, counts: DocumentCounts): FileBatch {
  const isRunning = counts.in_progress > 0
  return {
    id: batch.id,
    object: 'vector_store.files_batch',
    created_at: toSeconds(batch.createdAt),
    vector_store_id: batch.storeId,
    status: batch.cancelled === 1 ? 'cancelled' : isRunning ? 'in_progress' : 'completed',
    file_counts: writeCounts(counts),
  }
}
