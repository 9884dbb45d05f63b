import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { and, eq, lte, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../ports.ts'
import { databaseNow } from './database-time.ts'
import type { NodeDirectory } from './node-registry.ts'
import { isUnreachable, type NodeBackend, type WorkerCalls } from './worker-calls.ts'

/** Attempts, after which a change is dropped. */
const MAX_ATTEMPTS = 10
/** Changes that one look carries out. */
const PER_LOOK = 16
/** Pause after an attempt, milliseconds: it doubles. */
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 10 * 60_000

/** A change of a backend that waits for its worker. */
export type PendingOp = 'install' | 'upgrade' | 'delete'

/** Changes of backends that wait for their workers. */
export interface PendingOps {
  /** Keeps a change. The same change of the same backend is kept once. */
  add(nodeId: string, op: PendingOp, backend: NodeBackend): Promise<void>
  /** Carries out changes whose workers are there again. */
  retry(signal: AbortSignal): Promise<void>
}

/** Parts of {@link createPendingOps}. */
export interface PendingOpsParts {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly nodes: Pick<NodeDirectory, 'list'>
  readonly calls: Pick<WorkerCalls, 'install' | 'upgrade' | 'deleteBackend'>
  readonly logger: Logger
  /** Longest installation or upgrade, milliseconds. */
  readonly timeoutMs: number
}

/** Keeps changes in a database. Every server may retry: an attempt is claimed first. */
export function createPendingOps({ database, nodes, calls, logger, timeoutMs }: PendingOpsParts): PendingOps {
  const { queries } = database
  const now = databaseNow(database.dialect)
  const remove = (id: string): Promise<number> =>
    queries.change((db, { pendingBackendOps: table }) => db.delete(table).where(eq(table.id, id)))

  async function perform(
    { nodeId, op, id }: { readonly nodeId: string; readonly op: string; readonly id: string },
    backend: NodeBackend,
    signal: AbortSignal,
  ): Promise<void> {
    if (op === 'delete') return calls.deleteBackend(nodeId, backend.backend, { signal })
    if (op === 'upgrade') return calls.upgrade(nodeId, backend, { signal, timeoutMs })
    return calls.install(nodeId, backend, { signal, timeoutMs, operationId: id, onProgress: () => undefined })
  }
  return {
    async add(nodeId, op, backend) {
      const row = { details: JSON.stringify(backend), attempts: 0, error: null, nextAt: now }
      await queries.change((db, { pendingBackendOps: table }) =>
        db
          .insert(table)
          .values({ ...row, id: randomUUID(), nodeId, backend: backend.backend, op })
          .onConflictDoUpdate({ target: [table.nodeId, table.backend, table.op], set: row }),
      )
    },
    async retry(signal) {
      const due = await queries.rows((db, { pendingBackendOps: table }) =>
        db.select().from(table).where(lte(table.nextAt, now)).orderBy(table.nextAt).limit(PER_LOOK),
      )
      if (due.length === 0) return
      const healthy = new Set((await nodes.list()).filter(({ status }) => status === 'healthy').map(({ id }) => id))
      for (const row of due.filter(({ nodeId }) => healthy.has(nodeId))) {
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** row.attempts, LONGEST_PAUSE_MS) + timeoutMs
        const claimed = await queries.change((db, { pendingBackendOps: table }) =>
          db
            .update(table)
            .set({ attempts: row.attempts + 1, nextAt: sql`${now} + ${sql.raw(String(pause))}` })
            .where(and(eq(table.id, row.id), eq(table.attempts, row.attempts))),
        )
        if (claimed === 0) continue
        try {
          // The column holds what `add` wrote.
          await perform(row, JSON.parse(row.details) as NodeBackend, signal)
          await remove(row.id)
        } catch (error) {
          signal.throwIfAborted()
          const message = error instanceof Error ? error.message : String(error)
          logger.warn({ err: error, backend: row.backend, op: row.op }, 'a change of a backend on a worker failed')
          const isLast = row.attempts + 1 >= MAX_ATTEMPTS
          if (isLast) await remove(row.id)
          else {
            const wait = Math.min(FIRST_PAUSE_MS * 2 ** row.attempts, LONGEST_PAUSE_MS)
            await queries.change((db, { pendingBackendOps: table }) =>
              db
                .update(table)
                .set({ error: message.slice(0, 2000), nextAt: sql`${now} + ${sql.raw(String(wait))}` })
                .where(eq(table.id, row.id)),
            )
          }
        }
      }
    },
  }
}

/**
 * Does work on a worker; keeps it for later when the worker is not reached.
 *
 * @throws as the work does; the error says when the work is kept
 */
export async function orLater(work: () => Promise<void>, keep: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isUnreachable(error)) throw error
    await keep()
    const { kind, message, code, details } = error
    throw new SvcError(kind, `${message}; the change is made when the worker is there`, { code, details, cause: error })
  }
}
