import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { unitInterval } from '../scalars.ts'
import { toPageSchema } from './files.ts'

const MAX_NAME = 256
const MAX_KEYS = 16
/** Most files that one request adds. */
const MAX_FILES_ADDED = 500

/** Text that every database takes. */
const plain = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0\p{Surrogate}]*$/u)

const keyed = <Value extends z.ZodType>(value: Value) =>
  endAtFirstFault(z.record(z.string().min(1).max(64), value)).refine(
    (entries) => Object.keys(entries).length <= MAX_KEYS,
    `must have at most ${MAX_KEYS} keys`,
  )

/** Up to 16 texts by keys. */
export const storeMetadata = keyed(z.string().max(512))

/** Up to 16 texts, numbers or booleans by keys. Searches filter by them. */
export const fileAttributes = keyed(z.union([z.string().max(512), z.number(), z.boolean()]))

/** The way in which files are cut. */
export const chunkingStrategy = z.union([
  z.looseObject({ type: z.literal('auto') }),
  z.looseObject({
    type: z.literal('static'),
    static: z
      .looseObject({
        max_chunk_size_tokens: z.int().min(100).max(4096),
        chunk_overlap_tokens: z.int().min(0),
      })
      .refine(
        ({ max_chunk_size_tokens: size, chunk_overlap_tokens: overlap }) => overlap * 2 <= size,
        'must have an overlap of at most half of its size',
      ),
  }),
])

/** When a vector store expires. */
export const storeExpiry = z.looseObject({ anchor: z.literal('last_active_at'), days: z.int().min(1).max(365) })

const fileIds = endAtFirstFault(z.array(z.string().min(1).max(MAX_NAME))).refine(
  ({ length }) => length <= MAX_FILES_ADDED,
  `must have at most ${MAX_FILES_ADDED} items`,
)

/** Body of `POST /v1/vector_stores`. */
export const vectorStoreRequest = z.looseObject({
  name: plain(MAX_NAME).nullish(),
  description: plain(512).nullish(),
  metadata: storeMetadata.nullish(),
  expires_after: storeExpiry.nullish(),
  file_ids: fileIds.nullish(),
  chunking_strategy: chunkingStrategy.nullish(),
  /** Name of the model that embeds the files of this store. @default the server's choice */
  embedding_model: z.string().min(1).max(MAX_NAME).nullish(),
})

/** Body of `POST /v1/vector_stores/:vector_store_id`. A field that is left out stays. */
export const vectorStoreUpdate = z.looseObject({
  name: plain(MAX_NAME).nullish(),
  metadata: storeMetadata.nullish(),
  expires_after: storeExpiry.nullish(),
})

/** Numbers of files by their state. */
export const fileCounts = z.looseObject({
  in_progress: z.int().min(0),
  completed: z.int().min(0),
  failed: z.int().min(0),
  cancelled: z.int().min(0),
  total: z.int().min(0),
})

/** A vector store. */
export const vectorStore = z.looseObject({
  id: z.string(),
  object: z.literal('vector_store'),
  /** Unix seconds. */
  created_at: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  /** Bytes of the chunks and vectors of its files. */
  usage_bytes: z.int().min(0),
  file_counts: fileCounts,
  status: z.enum(['expired', 'in_progress', 'completed']),
  expires_after: storeExpiry.exactOptional(),
  /** Unix seconds. */
  expires_at: z.int().nullable(),
  /** Unix seconds. */
  last_active_at: z.int(),
  metadata: storeMetadata,
  /** Name of the model that embeds; null while none has been needed. */
  embedding_model: z.string().nullable(),
})

/** A page of vector stores. */
export const vectorStoreList = toPageSchema(vectorStore)

/** Reply of `DELETE /v1/vector_stores/:vector_store_id`. */
export const vectorStoreDeleted = z.looseObject({
  id: z.string(),
  object: z.literal('vector_store.deleted'),
  deleted: z.literal(true),
})

const addedFile = z.looseObject({
  file_id: z.string().min(1).max(MAX_NAME),
  attributes: fileAttributes.nullish(),
  chunking_strategy: chunkingStrategy.nullish(),
})

/** Body of `POST /v1/vector_stores/:vector_store_id/files`. */
export const vectorStoreFileRequest = addedFile

/** Body of `POST /v1/vector_stores/:vector_store_id/files/:file_id`. */
export const vectorStoreFileUpdate = z.looseObject({ attributes: fileAttributes.nullable() })

/** Body of `POST /v1/vector_stores/:vector_store_id/file_batches`: `file_ids`, or `files` with an own way each. */
export const fileBatchRequest = z.looseObject({
  file_ids: fileIds.nullish(),
  files: endAtFirstFault(z.array(addedFile))
    .refine(({ length }) => length <= MAX_FILES_ADDED, `must have at most ${MAX_FILES_ADDED} items`)
    .nullish(),
  attributes: fileAttributes.nullish(),
  chunking_strategy: chunkingStrategy.nullish(),
})

/** A file of a vector store. */
export const vectorStoreFile = z.looseObject({
  /** Id of the uploaded file. */
  id: z.string(),
  object: z.literal('vector_store.file'),
  /** Unix seconds. */
  created_at: z.int(),
  vector_store_id: z.string(),
  status: z.enum(['in_progress', 'completed', 'failed', 'cancelled']),
  last_error: z
    .looseObject({ code: z.enum(['server_error', 'unsupported_file', 'invalid_file']), message: z.string() })
    .nullable(),
  usage_bytes: z.int().min(0),
  attributes: fileAttributes,
  chunking_strategy: chunkingStrategy,
})

/** A page of files of a vector store. */
export const vectorStoreFileList = toPageSchema(vectorStoreFile)

/** Reply of `DELETE /v1/vector_stores/:vector_store_id/files/:file_id`. */
export const vectorStoreFileDeleted = z.looseObject({
  id: z.string(),
  object: z.literal('vector_store.file.deleted'),
  deleted: z.literal(true),
})

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })

/** The text of a file of a vector store, chunk by chunk. */
export const vectorStoreFileContent = z.looseObject({
  object: z.literal('vector_store.file_content.page'),
  data: z.array(textPart),
  has_more: z.literal(false),
  next_page: z.null(),
})

/** A batch of files that were added together. */
export const fileBatch = z.looseObject({
  id: z.string(),
  object: z.literal('vector_store.files_batch'),
  /** Unix seconds. */
  created_at: z.int(),
  vector_store_id: z.string(),
  status: z.enum(['in_progress', 'completed', 'cancelled', 'failed']),
  file_counts: fileCounts,
})

/** A comparison of an attribute of a file. */
export const comparisonFilter = z.looseObject({
  type: z.enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin']),
  key: z.string().min(1).max(64),
  value: z.union([
    z.string().max(512),
    z.number(),
    z.boolean(),
    z.array(z.union([z.string().max(512), z.number()])).max(256),
  ]),
})

/** Body of `POST /v1/vector_stores/:vector_store_id/search`. `filters` are comparisons joined by `and` and `or`. */
export const vectorStoreSearch = z.looseObject({
  query: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(16)]),
  filters: z.looseObject({ type: z.string() }).nullish(),
  /** @default 10 */
  max_num_results: z.int().min(1).max(50).nullish(),
  ranking_options: z.looseObject({ ranker: z.string().nullish(), score_threshold: unitInterval.nullish() }).nullish(),
  rewrite_query: z.boolean().nullish(),
})

/** A chunk that a search found. */
export const vectorStoreResult = z.looseObject({
  file_id: z.string(),
  filename: z.string(),
  /** Cosine of the query and the chunk; 0 where it is below. */
  score: unitInterval,
  attributes: fileAttributes,
  content: z.array(textPart),
})

/** Reply of a search, the best chunk first. */
export const vectorStoreResults = z.looseObject({
  object: z.literal('vector_store.search_results.page'),
  search_query: z.array(z.string()),
  data: z.array(vectorStoreResult),
  has_more: z.literal(false),
  next_page: z.null(),
})

/** Body of `POST /v1/vector_stores`. */
export type VectorStoreRequest = z.infer<typeof vectorStoreRequest>
/** A vector store. */
export type VectorStore = z.infer<typeof vectorStore>
/** A file of a vector store. */
export type VectorStoreFile = z.infer<typeof vectorStoreFile>
/** A batch of files that were added together. */
export type FileBatch = z.infer<typeof fileBatch>
/** Attributes of a file. */
export type FileAttributes = z.infer<typeof fileAttributes>
/** Numbers of files by their state. */
export type FileCounts = z.infer<typeof fileCounts>
/** The way in which files are cut. */
export type ChunkingStrategy = z.infer<typeof chunkingStrategy>
/** A chunk that a search found. */
export type VectorStoreResult = z.infer<typeof vectorStoreResult>
/** Reply of a search. */
export type VectorStoreResults = z.infer<typeof vectorStoreResults>
/** A comparison of an attribute of a file. */
export type ComparisonFilter = z.infer<typeof comparisonFilter>
