import { and, asc, count, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'

/** What one owner may have. */
export interface OwnerLimits {
  /** Most conversations. @default 10,000 */
  readonly maxOfOwner?: number | undefined
  /** Most bytes of their contents. @default 128 MiB */
  readonly maxBytesOfOwner?: number | undefined
}

const MAX_OF_OWNER = 10_000
const MAX_BYTES_OF_OWNER = 128 * 1024 * 1024
/** Smaller contents are bounded by the number of conversations. */
const LARGE_BYTES = 16 * 1024
/** Conversations that give way to one write. */
const MAX_GIVING_WAY = 100

/** A conversation that is to be written. */
export interface ComingConversation {
  readonly owner: string
  readonly hash: string
  /** The size of its content. */
  readonly bytes: number
  /** Whether it has no row yet. */
  readonly isNew: boolean
}

/** Keeps the conversations of each owner within bounds: those that end first give way. */
export interface ConversationRoom {
  make(coming: ComingConversation): Promise<void>
}

/** Creates the bounds. */
export function createConversationRoom({
  queries,
  maxOfOwner = MAX_OF_OWNER,
  maxBytesOfOwner = MAX_BYTES_OF_OWNER,
}: Pick<Database, 'queries'> & OwnerLimits): ConversationRoom {
  async function makeForOneMore(owner: string): Promise<void> {
    const [kept] = await queries.rows((db, { piiConversations: table }) =>
      db.select({ rows: count() }).from(table).where(eq(table.owner, owner)),
    )
    const surplus = (kept?.rows ?? 0) - maxOfOwner + 1
    if (surplus <= 0) return
    const ending = await queries.rows((db, { piiConversations: table }) =>
      db
        .select({ hash: table.hash })
        .from(table)
        .where(eq(table.owner, owner))
        .orderBy(asc(table.expiresAt))
        .limit(Math.min(surplus, MAX_GIVING_WAY)),
    )
    await remove(ending)
  }

  async function makeForBytes({ owner, hash, bytes }: ComingConversation): Promise<void> {
    const [kept] = await queries.rows((db, { piiConversations: table }) =>
      db
        .select({ bytes: sql<number | string | null>`sum(octet_length(${table.content}))` })
        .from(table)
        .where(and(eq(table.owner, owner), ne(table.hash, hash))),
    )
    let surplus = Number(kept?.bytes ?? 0) + bytes - maxBytesOfOwner
    if (surplus <= 0) return
    const first = await queries.rows((db, { piiConversations: table }) =>
      db
        .select({ hash: table.hash, bytes: sql<number>`octet_length(${table.content})` })
        .from(table)
        .where(and(eq(table.owner, owner), ne(table.hash, hash)))
        .orderBy(asc(table.expiresAt))
        .limit(MAX_GIVING_WAY),
    )
    const ending = first.filter((row) => {
      const gives = surplus > 0
      surplus -= row.bytes
      return gives
    })
    await remove(ending)
  }

  async function remove(rows: readonly { readonly hash: string }[]): Promise<void> {
    if (rows.length === 0) return
    const hashes = rows.map(({ hash }) => hash)
    await queries.change((db, { piiConversations: table }) => db.delete(table).where(inArray(table.hash, hashes)))
  }

  return {
    async make(coming) {
      if (coming.isNew) await makeForOneMore(coming.owner)
      if (coming.bytes > LARGE_BYTES) await makeForBytes(coming)
    },
  }
}
