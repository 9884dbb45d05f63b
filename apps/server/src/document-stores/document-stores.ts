import { and, count, eq, gt, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import { type Page, type PageQuery, readPage } from '../db/page.ts'
import { createPlacedId, isPlacedId, readPlace } from '../db/placed-id.ts'
import type { DatabaseQueries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { Clock } from '../ports.ts'
import { unknownCursor } from '../stored-files/file-errors.ts'
import type { Reader } from '../stored-files/stored-file.ts'
import { documentNotFound, documentsFull, refuseDocuments } from './document-errors.ts'
import { DOCUMENT_LIMITS, type DocumentStore, findExpiry } from './document-store.ts'
import { emptyStore, removeFilesInParts } from './removal.ts'

/** Facts of a new store. */
export type StoreDraft = Pick<DocumentStore, 'owner' | 'name' | 'description' | 'metadata' | 'model' | 'expiresDays'>

/** Fields of a store that can change. Undefined ones stay. */
export interface StoreChange {
  readonly name?: string | undefined
  readonly metadata?: string | undefined
  readonly expiresDays?: number | null | undefined
}

/** The stores of users. */
export interface DocumentStores {
  /** @throws {SvcError} `insufficient_storage` for more stores than an owner may have */
  create(draft: StoreDraft): Promise<DocumentStore>
  /**
   * Finds a store that the reader may see.
   *
   * @throws {SvcError} `not_found`, also for the store of another user
   */
  get(id: string, reader: Reader): Promise<DocumentStore>
  /** As {@link get}, for a store whose files are wanted. @throws {SvcError} also `invalid_request` for an expired one */
  use(id: string, reader: Reader): Promise<DocumentStore>
  /** @throws {SvcError} `invalid_request` for a cursor that names no store of the list */
  list(query: PageQuery, reader: Reader): Promise<Page<DocumentStore>>
  update(id: string, change: StoreChange, reader: Reader): Promise<DocumentStore>
  /** Sets the model of a store that has none. */
  setModel(id: string, model: string): Promise<void>
  /** Notes that a store is in use. */
  markUse(store: DocumentStore): Promise<void>
  /** Removes a store with its files. The uploaded files stay. */
  remove(id: string, reader: Reader): Promise<void>
  /** Removes the files of expired stores. @returns the ids of the stores */
  trim(): Promise<readonly string[]>
}

type Stores = Tables['documentStores']

const PREFIX = 'vs_'
/** Uses within this time count as one. */
const USE_MS = 60_000
const DAY_MS = 86_400_000
const BATCH = 100

/** Creates the stores on the server's database. */
export function createDocumentStores({
  queries,
  clock,
}: {
  readonly queries: DatabaseQueries
  readonly clock: Clock
}): DocumentStores {
  const isVisible = (stores: Stores, { id, isAdmin }: Reader): SQL | undefined =>
    isAdmin ? undefined : eq(stores.owner, id)

  async function find(id: string, reader: Reader): Promise<DocumentStore | undefined> {
    if (!isPlacedId(PREFIX, id)) return undefined
    const [row] = await queries.rows((db, { documentStores: stores }) =>
      db
        .select()
        .from(stores)
        .where(and(eq(stores.id, id), isVisible(stores, reader))),
    )
    return row
  }

  async function get(id: string, reader: Reader): Promise<DocumentStore> {
    const store = await find(id, reader)
    if (store === undefined) throw documentNotFound('vector store', id, 'vector_store_id')
    return store
  }

  return {
    get,
    create: (draft) => insertStore(queries, draft, clock.now()),
    async use(id, reader) {
      const store = await get(id, reader)
      if ((findExpiry(store) ?? Number.POSITIVE_INFINITY) > clock.now()) return store
      throw refuseDocuments('vector_store_expired', `the vector store '${id}' has expired`, 'vector_store_id')
    },
    async list(query, reader) {
      const page = await readPage(query, {
        find: async (id) => readPlace(PREFIX, id),
        rows: (part, limit) =>
          queries.rows((db, { documentStores: stores }) => {
            const { where, orderBy } = part(stores)
            return db
              .select()
              .from(stores)
              .where(and(isVisible(stores, reader), where))
              .orderBy(...orderBy)
              .limit(limit)
          }),
      })
      if ('unknown' in page) throw unknownCursor(page.unknown)
      return page
    },
    async update(id, change, reader) {
      const before = await get(id, reader)
      const { name = before.name, metadata = before.metadata, expiresDays = before.expiresDays } = change
      const fields = { name, metadata, expiresDays, lastActiveAt: clock.now() }
      await queries.change((db, { documentStores: stores }) => db.update(stores).set(fields).where(eq(stores.id, id)))
      return get(id, reader)
    },
    async setModel(id, model) {
      await queries.change((db, { documentStores: stores }) =>
        db
          .update(stores)
          .set({ model })
          .where(and(eq(stores.id, id), eq(stores.model, ''))),
      )
    },
    async markUse({ id, lastActiveAt }) {
      const now = clock.now()
      if (now - lastActiveAt < USE_MS) return
      await queries.change((db, { documentStores: stores }) =>
        db.update(stores).set({ lastActiveAt: now }).where(eq(stores.id, id)),
      )
    },
    async remove(id, reader) {
      await get(id, reader)
      await queries.transaction(async (transaction) => {
        await transaction.change((db, { documentStores: stores }) => db.delete(stores).where(eq(stores.id, id)))
        await emptyStore(transaction, id)
      })
    },
    trim: () => emptyExpired(queries, clock.now()),
  }
}

/** Removes the files of expired stores. @returns the ids of the stores */
async function emptyExpired(queries: DatabaseQueries, now: number): Promise<readonly string[]> {
  const emptied: string[] = []
  // Days are 32-bit numbers, and their milliseconds are not.
  const isExpired = (stores: Stores): SQL | undefined =>
    and(
      isNotNull(stores.expiresDays),
      lte(sql`${stores.lastActiveAt} + cast(${stores.expiresDays} as bigint) * ${DAY_MS}`, now),
    )
  for (let after = ''; ; ) {
    const old = await queries.rows((db, { documentStores: stores }) =>
      db
        .select({ id: stores.id, lastActiveAt: stores.lastActiveAt })
        .from(stores)
        .where(and(gt(stores.id, after), isExpired(stores)))
        .orderBy(stores.id)
        .limit(BATCH),
    )
    for (const { id, lastActiveAt } of old) {
      // It may be in use again.
      const expired = await queries.change((db, { documentStores: stores }) =>
        db
          .update(stores)
          .set({ revision: sql`${stores.revision} + 1` })
          .where(and(eq(stores.id, id), isExpired(stores))),
      )
      if (expired === 0) continue
      // It stays expired.
      await removeFilesInParts(queries, id, { now: lastActiveAt })
      await queries.transaction((transaction) => emptyStore(transaction, id))
      emptied.push(id)
    }
    if (old.length < BATCH) return emptied
    after = old.at(-1)?.id ?? after
  }
}

async function insertStore(queries: DatabaseQueries, draft: StoreDraft, now: number): Promise<DocumentStore> {
  const id = createPlacedId(PREFIX, now)
  const row: DocumentStore = { id, ...draft, dimensions: 0, createdAt: now, lastActiveAt: now, revision: 0 }
  await queries.transaction(async (transaction) => {
    const [owned] = await transaction.rows((db, { documentStores: stores }) =>
      db.select({ stores: count() }).from(stores).where(eq(stores.owner, draft.owner)),
    )
    if (Number(owned?.stores ?? 0) >= DOCUMENT_LIMITS.stores) {
      throw documentsFull(`you have ${DOCUMENT_LIMITS.stores} vector stores, which is the most`)
    }
    await transaction.change((db, { documentStores }) => db.insert(documentStores).values(row))
  })
  return row
}
