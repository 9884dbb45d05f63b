import { hash } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { SealedRecords } from '../../mcp/sealed-records.ts'
import type { Logger } from '../../ports.ts'
import { seal, unseal } from '../../secret/seal.ts'
import { createSharedDocuments } from './shared-documents.ts'

/** Options of {@link createSealedDocuments}. */
export interface SealedDocumentsOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly kind: string
  /** 32 bytes. */
  readonly key: () => Uint8Array
  /** The record that was changed longest ago makes room. */
  readonly maxRecords: number
  readonly logger: Logger
}

/** Tries of a change; each fails only because another front end was faster. */
const TRIES = 50
const BATCH = 100

/** Records of all front ends in the database, which only the holder of their secret can read. */
export function createSealedDocuments<Value>(options: SealedDocumentsOptions): SealedRecords<Value> {
  const { database, kind, key, maxRecords, logger } = options
  const documents = createSharedDocuments(database, kind)
  const { queries } = database

  async function read(name: string): Promise<{ readonly value: Value | undefined; readonly version: number }> {
    const found = await documents.read(name)
    const version = found?.version ?? 0
    if (found === undefined || found.isDeleted) return { value: undefined, version }
    try {
      return { value: JSON.parse(unseal(Buffer.from(found.content, 'base64'), key())), version }
    } catch {
      logger.warn({ kind }, 'a record of the database cannot be read with the secret of this server; it is made anew')
      return { value: undefined, version }
    }
  }

  async function trim(): Promise<void> {
    await documents.forgetDeleted(0)
    const old = await queries.rows((db, { sharedDocuments: rows }) =>
      db
        .select({ name: rows.name })
        .from(rows)
        .where(eq(rows.kind, kind))
        .orderBy(desc(rows.changedAt))
        .limit(BATCH)
        .offset(maxRecords),
    )
    if (old.length === 0) return
    const names = old.map(({ name }) => name)
    await queries.change((db, { sharedDocuments: rows }) =>
      db.delete(rows).where(and(eq(rows.kind, kind), inArray(rows.name, names))),
    )
  }

  return {
    get: async (id) => (await read(toName(id))).value,
    async change(id, next) {
      const name = toName(id)
      for (let tried = 0; tried < TRIES; tried += 1) {
        const { value, version: over } = await read(name)
        const after = next(value)
        if (after === undefined && value === undefined) return
        const written =
          after === undefined
            ? await documents.remove(name, { over })
            : await documents.write(name, seal(JSON.stringify(after), key()).toString('base64'), { over })
        if (written === undefined) continue
        if (over === 0 || after === undefined) await trim()
        return
      }
      throw new SvcError('unavailable', 'too many servers change the same record', { code: 'database_busy' })
    },
  }
}

function toName(id: string): string {
  return hash('sha256', id, 'hex')
}
