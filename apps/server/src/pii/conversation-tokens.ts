import { createHmac, randomInt } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { TokenEntry } from '@svc/pii/reversible'
import { and, eq, lte } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Clock } from '../ports.ts'
import { seal, unseal } from '../secret/seal.ts'
import { createConversationRoom, type OwnerLimits } from './conversation-room.ts'

/** Most values of one conversation, and the longest content, characters. */
const MAX_VALUES = 5000
const MAX_CONTENT = 1024 * 1024
/** The purpose of the key, for its derivation from the secret of the server. */
export const CONVERSATIONS_KEY = 'masked values of conversations'

/** Several requests of a conversation may run at once. */
const MAX_WRITES = 8

/** A conversation of an owner. */
export interface ConversationName {
  /** The owner: nobody else gets the values. */
  readonly userId: string
  /** The API key in use: other keys of the owner, and the owner without one, have conversations of their own. */
  readonly keyId?: string | undefined
  /** The id of the conversation, as its requests name it. */
  readonly id: string
  /** Tokens of another form are kept apart. */
  readonly prefix: string
  readonly suffix: string
  /** How long the values are kept after the last request with a new one, hours. */
  readonly keptHours: number
}

/** What tells a conversation from all others. */
export function listNameParts({ userId, keyId = '', id, prefix, suffix }: ConversationName): readonly string[] {
  return [userId, keyId, id, prefix, suffix]
}

/** The masked values of conversations with their tokens, sealed in the database. */
export interface ConversationTokens {
  /**
   * Gives the values so far; none for a conversation that is new or has expired.
   *
   * @throws {SvcError} `pii_conversation_unreadable`, `internal`; the errors of the database
   */
  read(name: ConversationName): Promise<readonly TokenEntry[]>
  /**
   * Adds values.
   *
   * @returns false when another request gave one of the tokens to another value, or one of the values another token
   * @throws {SvcError} `pii_conversation_full`, `invalid_request`; as {@link ConversationTokens.read}
   */
  add(name: ConversationName, entries: readonly TokenEntry[]): Promise<boolean>
  /** Removes the conversations that have ended. @throws the errors of the database */
  tidy(): Promise<void>
  /** Removes all conversations of an owner. @throws the errors of the database */
  removeOwner(userId: string): Promise<void>
}

/** Options of {@link createConversationTokens}. */
export interface ConversationTokensOptions extends Pick<Database, 'queries'>, OwnerLimits {
  readonly clock: Pick<Clock, 'now'>
  /** Gives the key of 32 bytes of this purpose. */
  readonly key: () => Uint8Array
}

interface Stored {
  readonly version: number
  readonly entries: readonly TokenEntry[]
  readonly expiresAt: number
}

/** A row that is made anew has another version than the removed one, so that no write mistakes it for that. */
const MAX_FIRST_VERSION = 2 ** 40

const NOTHING: Stored = { version: 0, entries: [], expiresAt: 0 }

/** Creates the store. */
export function createConversationTokens(options: ConversationTokensOptions): ConversationTokens {
  const { queries, clock, key } = options
  const room = createConversationRoom(options)
  const derive = (...parts: readonly string[]): Buffer =>
    createHmac('sha256', key()).update(JSON.stringify(parts)).digest()
  const hash = (...parts: readonly string[]): string => derive(...parts).toString('hex')
  /** A content opens in its own row alone. */
  const findContentKey = (rowHash: string): Uint8Array => derive('content', rowHash)
  const hashName = (name: ConversationName): string => hash('conversation', ...listNameParts(name))

  async function tidy(): Promise<void> {
    const now = clock.now()
    await queries.change((db, { piiConversations: table }) => db.delete(table).where(lte(table.expiresAt, now)))
  }

  async function find(name: ConversationName): Promise<Stored> {
    const rowHash = hashName(name)
    const [row] = await queries.rows((db, { piiConversations: table }) =>
      db.select().from(table).where(eq(table.hash, rowHash)),
    )
    if (row === undefined || row.expiresAt <= clock.now()) return { ...NOTHING, version: row?.version ?? 0 }
    const { version, content, expiresAt } = row
    return { version, entries: open(content, findContentKey(rowHash)), expiresAt }
  }

  /** @returns whether the version was still there */
  async function write(name: ConversationName, { version, entries, expiresAt }: Stored): Promise<boolean> {
    const rowHash = hashName(name)
    const owner = hash('owner', name.userId)
    const content = seal(JSON.stringify(entries), findContentKey(rowHash)).toString('base64')
    await tidy()
    await room.make({ owner, hash: rowHash, bytes: content.length, isNew: version === 0 })
    if (version > 0) {
      const changed = await queries.change((db, { piiConversations: table }) =>
        db
          .update(table)
          .set({ content, expiresAt, version: version + 1 })
          .where(and(eq(table.hash, rowHash), eq(table.version, version))),
      )
      return changed > 0
    }
    const row = { hash: rowHash, owner, version: randomInt(1, MAX_FIRST_VERSION), content, expiresAt }
    const added = await queries.change((db, { piiConversations: table }) =>
      db.insert(table).values(row).onConflictDoNothing(),
    )
    return added > 0
  }

  return {
    tidy,
    async removeOwner(userId) {
      const owner = hash('owner', userId)
      await queries.change((db, { piiConversations: table }) => db.delete(table).where(eq(table.owner, owner)))
    },
    read: async (name) => (await find(name)).entries,
    async add(name, entries) {
      const lifetime = name.keptHours * 3_600_000
      for (let attempt = 0; attempt < MAX_WRITES; attempt++) {
        const stored = await find(name)
        const united = unite(stored.entries, entries)
        if (united === undefined) return false
        const isFresh = stored.expiresAt - clock.now() > lifetime / 2
        if (united.length === stored.entries.length && (isFresh || united.length === 0)) return true
        checkSize(united)
        if (await write(name, { version: stored.version, entries: united, expiresAt: clock.now() + lifetime }))
          return true
      }
      return false
    },
  }
}

function open(content: string, key: Uint8Array): readonly TokenEntry[] {
  try {
    return JSON.parse(unseal(Buffer.from(content, 'base64'), key))
  } catch {
    throw new SvcError('internal', 'the masked values of the conversation cannot be read; begin another one', {
      code: 'pii_conversation_unreadable',
    })
  }
}

/** All entries, each once; undefined where a token would have two values, or a value two tokens. */
function unite(stored: readonly TokenEntry[], added: readonly TokenEntry[]): readonly TokenEntry[] | undefined {
  const tokens = new Map(stored.map(({ token, value }) => [value, token]))
  const values = new Map(stored.map(({ token, value }) => [token, value]))
  for (const { token, value } of added) {
    if ((values.get(token) ?? value) !== value || (tokens.get(value) ?? token) !== token) return undefined
    tokens.set(value, token)
    values.set(token, value)
  }
  return Array.from(values, ([token, value]) => ({ token, value }))
}

function checkSize(entries: readonly TokenEntry[]): void {
  const length = entries.reduce((sum, { token, value }) => sum + token.length + value.length, 0)
  if (entries.length <= MAX_VALUES && length <= MAX_CONTENT) return
  throw new SvcError('invalid_request', 'the conversation has too many masked values; begin another one', {
    code: 'pii_conversation_full',
    details: { type: 'invalid_request_error' },
  })
}
