import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Vector stores of documents. */
export const documentStoresOnSqlite = sqlite.sqliteTable(
  'document_stores',
  {
    id: sqlite.text('id').primaryKey(),
    /** Id of the principal that made it. */
    owner: sqlite.text('owner').notNull(),
    name: sqlite.text('name').notNull(),
    description: sqlite.text('description'),
    /** A JSON object of strings. */
    metadata: sqlite.text('metadata').notNull(),
    /** Name of the model that embeds; empty until one is needed. */
    model: sqlite.text('model').notNull(),
    /** Numbers of a vector; 0 until there is one. */
    dimensions: sqlite.integer('dimensions').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
    /** Milliseconds since the epoch. */
    lastActiveAt: sqlite.integer('last_active_at').notNull(),
    /** Days without activity after which it expires; null = never. */
    expiresDays: sqlite.integer('expires_days'),
    /** Grows with each change of what a search can find. */
    revision: sqlite.integer('revision').notNull(),
  },
  (table) => [
    sqlite.index('document_stores_by_owner').on(table.owner, table.createdAt, table.id),
    sqlite.index('document_stores_by_age').on(table.createdAt, table.id),
  ],
)

export const documentStoresOnPostgres = pg.pgTable(
  'document_stores',
  {
    id: pg.text('id').primaryKey(),
    owner: pg.text('owner').notNull(),
    name: pg.text('name').notNull(),
    description: pg.text('description'),
    metadata: pg.text('metadata').notNull(),
    model: pg.text('model').notNull(),
    dimensions: pg.integer('dimensions').notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    lastActiveAt: pg.bigint('last_active_at', { mode: 'number' }).notNull(),
    expiresDays: pg.integer('expires_days'),
    revision: pg.bigint('revision', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.index('document_stores_by_owner').on(table.owner, table.createdAt, table.id),
    pg.index('document_stores_by_age').on(table.createdAt, table.id),
  ],
)

/** Files of stores. */
export const documentFilesOnSqlite = sqlite.sqliteTable(
  'document_files',
  {
    storeId: sqlite.text('store_id').notNull(),
    /** Id of the stored file. */
    id: sqlite.text('id').notNull(),
    filename: sqlite.text('filename').notNull(),
    /** Id of the principal for whom it is indexed. */
    owner: sqlite.text('owner').notNull(),
    /** Id of the server that has its bytes, and indexes it. */
    server: sqlite.text('server').notNull(),
    /** Id of the batch that added it; empty without one. */
    batchId: sqlite.text('batch_id').notNull(),
    /** Random; another one each time that it is added. */
    run: sqlite.text('run').notNull(),
    /** `in_progress`, `completed`, `failed` or `cancelled`. */
    status: sqlite.text('status').notNull(),
    errorCode: sqlite.text('error_code'),
    errorMessage: sqlite.text('error_message'),
    /** A JSON object of texts, numbers and booleans. */
    attributes: sqlite.text('attributes').notNull(),
    /** Tokens. */
    chunkSize: sqlite.integer('chunk_size').notNull(),
    chunkOverlap: sqlite.integer('chunk_overlap').notNull(),
    chunkCount: sqlite.integer('chunk_count').notNull(),
    /** Bytes of its chunks and vectors. */
    usageBytes: sqlite.integer('usage_bytes').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
  },
  (table) => [
    sqlite.primaryKey({ columns: [table.storeId, table.id] }),
    sqlite.index('document_files_by_age').on(table.storeId, table.createdAt, table.id),
    sqlite.index('document_files_by_file').on(table.id),
    sqlite.index('document_files_by_batch').on(table.batchId, table.status),
    sqlite.index('document_files_by_work').on(table.status, table.server, table.createdAt),
  ],
)

export const documentFilesOnPostgres = pg.pgTable(
  'document_files',
  {
    storeId: pg.text('store_id').notNull(),
    id: pg.text('id').notNull(),
    filename: pg.text('filename').notNull(),
    owner: pg.text('owner').notNull(),
    server: pg.text('server').notNull(),
    batchId: pg.text('batch_id').notNull(),
    run: pg.text('run').notNull(),
    status: pg.text('status').notNull(),
    errorCode: pg.text('error_code'),
    errorMessage: pg.text('error_message'),
    attributes: pg.text('attributes').notNull(),
    chunkSize: pg.integer('chunk_size').notNull(),
    chunkOverlap: pg.integer('chunk_overlap').notNull(),
    chunkCount: pg.integer('chunk_count').notNull(),
    usageBytes: pg.bigint('usage_bytes', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.primaryKey({ columns: [table.storeId, table.id] }),
    pg.index('document_files_by_age').on(table.storeId, table.createdAt, table.id),
    pg.index('document_files_by_file').on(table.id),
    pg.index('document_files_by_batch').on(table.batchId, table.status),
    pg.index('document_files_by_work').on(table.status, table.server, table.createdAt),
  ],
)

/** Batches of files that were added to a store together. */
export const documentBatchesOnSqlite = sqlite.sqliteTable(
  'document_batches',
  {
    id: sqlite.text('id').primaryKey(),
    storeId: sqlite.text('store_id').notNull(),
    /** 1 once it was cancelled. */
    cancelled: sqlite.integer('cancelled').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
  },
  (table) => [sqlite.index('document_batches_by_store').on(table.storeId)],
)

export const documentBatchesOnPostgres = pg.pgTable(
  'document_batches',
  {
    id: pg.text('id').primaryKey(),
    storeId: pg.text('store_id').notNull(),
    cancelled: pg.integer('cancelled').notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.index('document_batches_by_store').on(table.storeId)],
)

/** Chunks of the files of stores, with their vectors. */
export const documentChunksOnSqlite = sqlite.sqliteTable(
  'document_chunks',
  {
    storeId: sqlite.text('store_id').notNull(),
    fileId: sqlite.text('file_id').notNull(),
    /** The run of the file that wrote it. */
    run: sqlite.text('run').notNull(),
    /** Place among the chunks of the file, from 0. */
    number: sqlite.integer('number').notNull(),
    text: sqlite.text('text').notNull(),
    /** Places of the chunk in the text of the file, UTF-16 code units. */
    start: sqlite.integer('start').notNull(),
    end: sqlite.integer('end').notNull(),
    /** 32-bit floats in little-endian order, as base64. */
    vector: sqlite.text('vector').notNull(),
  },
  (table) => [sqlite.primaryKey({ columns: [table.storeId, table.fileId, table.run, table.number] })],
)

export const documentChunksOnPostgres = pg.pgTable(
  'document_chunks',
  {
    storeId: pg.text('store_id').notNull(),
    fileId: pg.text('file_id').notNull(),
    run: pg.text('run').notNull(),
    number: pg.integer('number').notNull(),
    text: pg.text('text').notNull(),
    start: pg.integer('start').notNull(),
    end: pg.integer('end').notNull(),
    vector: pg.text('vector').notNull(),
  },
  (table) => [pg.primaryKey({ columns: [table.storeId, table.fileId, table.run, table.number] })],
)
