import { hash } from 'node:crypto'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { DatabaseQueries, Queries } from '../../db/queries.ts'
import type { Tables } from '../../db/schema.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** A small file that all front ends have. */
export interface SharedDocument {
  readonly name: string
  /** Empty when it is deleted. */
  readonly content: string
  /** Facts for whoever writes the file, JSON. */
  readonly details: string
  /** SHA-256 of the content, hexadecimal; empty when it is deleted. */
  readonly revision: string
  /** Grows with every write, from 1. */
  readonly version: number
  readonly isDeleted: boolean
}

/** A document without its content. */
export type DocumentState = Omit<SharedDocument, 'content' | 'details'>

/** The documents of one kind. All errors are those of the database, `unavailable` first of all. */
export interface SharedDocuments {
  /** Reads a document, or the mark that it was deleted; undefined for a name that nobody has written. */
  read(name: string): Promise<SharedDocument | undefined>
  /** Lists all documents and marks of deleted ones, by name. */
  list(): Promise<readonly DocumentState[]>
  /**
   * Writes a document.
   *
   * @param options.over the version that it replaces, 0 for a document that is not there yet @default whatever is there
   * @returns the new version; undefined when another one is there
   */
  write(
    name: string,
    content: string,
    options?: { readonly over?: number | undefined; readonly details?: string | undefined },
  ): Promise<number | undefined>
  /** Leaves a mark in place of a document. @param options.over as of {@link write} @returns as {@link write} */
  remove(name: string, options?: { readonly over?: number | undefined }): Promise<number | undefined>
  /** Forgets the marks of documents that were deleted longer ago, milliseconds. @returns how many */
  forgetDeleted(olderThanMs: number): Promise<number>
}

/** Where documents are kept. */
export interface DocumentPlace extends Pick<Database, 'dialect'> {
  readonly queries: Pick<DatabaseQueries, 'rows' | 'transaction' | 'change'>
}

/** The place of documents inside of a running transaction. */
export function insideOf(inside: Queries, { dialect }: Pick<Database, 'dialect'>): DocumentPlace {
  return { dialect, queries: { ...inside, transaction: (work) => work(inside) } }
}

type Values = Pick<Tables['sharedDocuments']['$inferInsert'], 'content' | 'details' | 'revision' | 'isDeleted'>

/** The revision of a content: its SHA-256, hexadecimal. */
export function toRevision(content: string): string {
  return hash('sha256', content, 'hex')
}

/** The documents of one kind in the database. */
export function createSharedDocuments({ queries, dialect }: DocumentPlace, kind: string): SharedDocuments {
  const now = databaseNow(dialect)

  async function put(inside: Queries, { name, values, over }: Change): Promise<number | undefined> {
    const [row] = await inside.rows((db, { sharedDocuments: documents }) => {
      const next = { ...values, version: sql<number>`${documents.version} + 1`, changedAt: now }
      const target = [documents.kind, documents.name]
      if (over !== undefined && over > 0) {
        const same = and(eq(documents.kind, kind), eq(documents.name, name), eq(documents.version, over))
        return db.update(documents).set(next).where(same).returning({ version: documents.version })
      }
      const insert = db.insert(documents).values({ kind, name, ...values, version: 1, changedAt: now })
      const added = over === 0 ? insert.onConflictDoNothing() : insert.onConflictDoUpdate({ target, set: next })
      return added.returning({ version: documents.version })
    })
    return row?.version
  }
  const change = (asked: Change): Promise<number | undefined> => queries.transaction((inside) => put(inside, asked))

  return {
    async read(name) {
      const [row] = await queries.rows((db, { sharedDocuments: documents }) =>
        db
          .select()
          .from(documents)
          .where(and(eq(documents.kind, kind), eq(documents.name, name))),
      )
      return row && { ...toState(row), content: row.content, details: row.details }
    },
    async list() {
      const rows = await queries.rows((db, { sharedDocuments: documents }) =>
        db
          .select({
            name: documents.name,
            revision: documents.revision,
            version: documents.version,
            isDeleted: documents.isDeleted,
          })
          .from(documents)
          .where(eq(documents.kind, kind))
          .orderBy(documents.name),
      )
      return rows.map(toState)
    },
    write: (name, content, { over, details = '' } = {}) =>
      change({ name, over, values: { content, details, revision: toRevision(content), isDeleted: 0 } }),
    remove: (name, { over } = {}) =>
      change({ name, over, values: { content: '', details: '', revision: '', isDeleted: 1 } }),
    forgetDeleted: (olderThanMs) =>
      queries.change((db, { sharedDocuments: documents }) =>
        db
          .delete(documents)
          .where(
            and(
              eq(documents.kind, kind),
              eq(documents.isDeleted, 1),
              lt(documents.changedAt, sql<number>`${now} - ${olderThanMs}`),
            ),
          ),
      ),
  }
}

interface Change {
  readonly name: string
  readonly values: Values
  readonly over: number | undefined
}

function toState({
  name,
  revision,
  version,
  isDeleted,
}: Pick<Tables['sharedDocuments']['$inferSelect'], 'name' | 'revision' | 'version' | 'isDeleted'>): DocumentState {
  return { name, revision, version, isDeleted: isDeleted === 1 }
}
