/** A vector store of documents, as its row has it. */
export interface DocumentStore {
  /** `vs_` and 44 hexadecimal digits: its time, and 128 random bits. */
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly description: string | null
  /** A JSON object of strings. */
  readonly metadata: string
  /** Name of the model that embeds; empty until one is needed. */
  readonly model: string
  /** Numbers of a vector; 0 until there is one. */
  readonly dimensions: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly lastActiveAt: number
  /** Days without activity after which it expires; null = never. */
  readonly expiresDays: number | null
  readonly revision: number
}

/** State of a file of a store. */
export type DocumentStatus = 'in_progress' | 'completed' | 'failed' | 'cancelled'

/** Why a file could not be indexed. */
export type DocumentFault = 'server_error' | 'unsupported_file' | 'invalid_file'

/** A file of a store, as its row has it. */
export interface DocumentFile {
  readonly storeId: string
  /** Id of the stored file. */
  readonly id: string
  readonly filename: string
  readonly owner: string
  readonly server: string
  /** Id of the batch that added it; empty without one. */
  readonly batchId: string
  /** Another one each time that it is added. */
  readonly run: string
  readonly status: string
  readonly errorCode: string | null
  readonly errorMessage: string | null
  /** A JSON object. */
  readonly attributes: string
  /** Tokens. */
  readonly chunkSize: number
  readonly chunkOverlap: number
  readonly chunkCount: number
  readonly usageBytes: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A batch of files. */
export interface DocumentBatch {
  readonly id: string
  readonly storeId: string
  /** 1 once it was cancelled. */
  readonly cancelled: number
  readonly createdAt: number
}

/** Attributes by which searches filter. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Numbers of files by their state, and their bytes. */
export interface DocumentCounts extends Readonly<Record<DocumentStatus, number>> {
  readonly total: number
  readonly usageBytes: number
}

/** Milliseconds of a day. */
const DAY_MS = 86_400_000

/** When a store expires, milliseconds since the epoch; undefined = never. */
export function findExpiry({ expiresDays, lastActiveAt }: DocumentStore): number | undefined {
  return expiresDays === null ? undefined : lastActiveAt + expiresDays * DAY_MS
}

/** Bounds of all stores. */
export const DOCUMENT_LIMITS = {
  /** Stores of one owner. */
  stores: 1000,
  /** Files of one store. */
  files: 10_000,
  /** Batches of one store; the oldest gives way. */
  batches: 1000,
  /** Chunks of one store. */
  chunks: 100_000,
  /** Bytes of a file that is indexed. */
  fileBytes: 64 * 1024 * 1024,
  /** Bytes of the vectors in memory, of all stores. */
  indexBytes: 512 * 1024 * 1024,
} as const
