import { and, asc, eq, like } from 'drizzle-orm'
import type { Queries } from '../../db/queries.ts'
import type { DocumentFile, DocumentStore } from '../../document-stores/document-store.ts'

/** The description of vector stores that are collections. Only the owner of a store can write it. */
export const COLLECTION_MARK = 'svc:collection'

/** Attributes of an entry that was fetched. */
export interface SourceAttributes {
  readonly source_url: string
  /** Minutes between two fetches. */
  readonly update_interval: number
  /** Milliseconds since the epoch. */
  readonly fetched_at: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  /** Why the last fetch failed; empty after a good one. */
  readonly fetch_error: string
}

/** Lists the collections of an owner, the oldest first. */
export function listStores(queries: Queries, owner: string): Promise<readonly DocumentStore[]> {
  return queries.rows((db, { documentStores: stores }) =>
    db
      .select()
      .from(stores)
      .where(and(eq(stores.owner, owner), eq(stores.description, COLLECTION_MARK)))
      .orderBy(asc(stores.createdAt), asc(stores.id)),
  )
}

/** Finds the collection of an owner by its name: the oldest, should two have it. */
export async function findStore(queries: Queries, owner: string, name: string): Promise<DocumentStore | undefined> {
  const [store] = await queries.rows((db, { documentStores: stores }) =>
    db
      .select()
      .from(stores)
      .where(and(eq(stores.owner, owner), eq(stores.description, COLLECTION_MARK), eq(stores.name, name)))
      .orderBy(asc(stores.createdAt), asc(stores.id))
      .limit(1),
  )
  return store
}

/** Lists the files of a collection, the oldest first. */
export function listFiles(queries: Queries, storeId: string): Promise<readonly DocumentFile[]> {
  return queries.rows((db, { documentFiles: files }) =>
    db.select().from(files).where(eq(files.storeId, storeId)).orderBy(asc(files.createdAt), asc(files.id)),
  )
}

/** Finds the file of an entry. */
export async function findFile(queries: Queries, storeId: string, name: string): Promise<DocumentFile | undefined> {
  const [file] = await queries.rows((db, { documentFiles: files }) =>
    db
      .select()
      .from(files)
      .where(and(eq(files.storeId, storeId), eq(files.filename, name)))
      .limit(1),
  )
  return file
}

/** Lists the fetched files of all collections whose bytes a server has. */
export function listFetched(
  queries: Queries,
  server: string,
): Promise<readonly { readonly file: DocumentFile; readonly store: DocumentStore }[]> {
  return queries.rows((db, { documentStores: stores, documentFiles: files }) =>
    db
      .select({ file: files, store: stores })
      .from(stores)
      .innerJoin(files, eq(files.storeId, stores.id))
      .where(
        and(
          eq(stores.description, COLLECTION_MARK),
          eq(files.server, server),
          like(files.attributes, '%"source_url"%'),
        ),
      ),
  )
}

/** Reads where a file was fetched from; undefined for an uploaded one. */
export function readSource({ attributes }: Pick<DocumentFile, 'attributes'>): SourceAttributes | undefined {
  const found = JSON.parse(attributes) as Partial<Record<string, unknown>>
  if (typeof found.source_url !== 'string') return undefined
  const number = (value: unknown, usual: number): number => (typeof value === 'number' ? value : usual)
  return {
    source_url: found.source_url,
    update_interval: number(found.update_interval, DEFAULT_INTERVAL_MINUTES),
    fetched_at: number(found.fetched_at, 0),
    sha256: String(found.sha256 ?? ''),
    fetch_error: String(found.fetch_error ?? ''),
  }
}

/** Minutes between two fetches of a source that names none. */
export const DEFAULT_INTERVAL_MINUTES = 60
