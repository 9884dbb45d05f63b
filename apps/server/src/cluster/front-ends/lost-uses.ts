import { SvcError } from '@svc/errors'
import { and, eq, gt, inArray, lt, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Messenger } from '../contract/messenger.ts'
import { frontEndSubject } from '../contract/subjects.ts'
import { databaseNow } from '../nodes/database-time.ts'
import { USES_LEASE_MS } from '../routing/running-uses.ts'

/** A front end that lives renews the counts of its requests more often than this, milliseconds. */
const SILENT_MS = 8000
const ASK_MS = 1000

/** Running requests of front ends that are gone. Their leases end by themselves; a worker that ends does not wait so long. */
export interface LostUses {
  /** Answers other front ends, and forgets the requests that this one had before it was killed. */
  start(): Promise<void>
  /**
   * Removes the requests at a node of front ends that are gone: that have not renewed their counts and that nobody on the
   * bus answers for. One of both proves nothing.
   */
  removeAt(nodeId: string, signal: AbortSignal): Promise<void>
  close(): void
}

/** @param parts `id` is that of this front end */
export function createLostUses({
  database: { queries, dialect },
  messenger,
  id,
}: {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly messenger: Pick<Messenger, 'request' | 'serve'>
  readonly id: string
}): LostUses {
  const now = databaseNow(dialect)
  const silentSince: SQL<number> = sql<number>`${now} + ${USES_LEASE_MS - SILENT_MS}`
  let end = (): void => undefined

  async function isGone(frontend: string, signal: AbortSignal): Promise<boolean> {
    try {
      await messenger.request(frontEndSubject(frontend, 'alive'), {}, { signal, timeoutMs: ASK_MS })
      return false
    } catch (error) {
      signal.throwIfAborted()
      return SvcError.is(error) && error.code === 'no_responders'
    }
  }
  return {
    async start() {
      end = messenger.serve(frontEndSubject(id, 'alive'), async () => ({}))
      await queries.change((db, { replicaUses: uses }) => db.delete(uses).where(eq(uses.frontend, id)))
    },
    async removeAt(nodeId, signal) {
      const silent = await queries.rows((db, { nodeReplicas: replicas, replicaUses: uses }) =>
        db
          .selectDistinct({ frontend: uses.frontend })
          .from(uses)
          .innerJoin(replicas, eq(replicas.id, uses.replicaId))
          .where(
            and(
              eq(replicas.nodeId, nodeId),
              ne(uses.frontend, id),
              gt(uses.expiresAt, now),
              lt(uses.expiresAt, silentSince),
            ),
          ),
      )
      const gone: string[] = []
      for (const { frontend } of silent) if (await isGone(frontend, signal)) gone.push(frontend)
      if (gone.length === 0) return
      await queries.change((db, { replicaUses: uses }) =>
        db.delete(uses).where(and(inArray(uses.frontend, gone), lt(uses.expiresAt, silentSince))),
      )
    },
    close: () => end(),
  }
}
