import { randomUUID } from 'node:crypto'
import { and, eq, getTableColumns, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { DatabaseQueries } from '../../db/queries.ts'
import type { Tables } from '../../db/schema.ts'
import type { Replica, ReplicaState, ReplicaStore } from '../contract/nodes.ts'
import { toProcessKey } from '../contract/process-key.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** A replica that a load begins. */
export interface NewReplica
  extends Pick<Replica, 'nodeId' | 'model' | 'replicaIndex' | 'state' | 'backend' | 'configRevision'> {
  /** The request of the load, base64 of `ModelOptions`. */
  readonly loadRequest: string
}

/** What a load or a stop changes. */
export interface ReplicaChange {
  readonly state?: ReplicaState | undefined
  readonly address?: string | undefined
  readonly backend?: string | undefined
  /** Bytes. */
  readonly sizeVram?: number | undefined
  /** Why the last stop failed. */
  readonly cleanupError?: string | undefined
  /** Stops that failed. */
  readonly cleanupAttempts?: number | undefined
  /** Time until the next stop is due, milliseconds from now. */
  readonly cleanupInMs?: number | undefined
}

/** Longest text of a failure. */
const MAX_ERROR = 2000

/** Running requests of one front end, by the ids of replicas. */
export type ReplicaUses = ReadonlyMap<string, number>

/** Rows of replicas and of their running requests. Their times are those of the database. */
export interface ReplicaRows extends ReplicaStore {
  /** As {@link ReplicaStore.list}; the requests of `exceptFrontend` are not counted, as that one knows them itself. */
  list(filter?: {
    readonly nodeId?: string | undefined
    readonly model?: string | undefined
    readonly exceptFrontend?: string | undefined
  }): Promise<readonly Replica[]>
  /** Takes a place on a node. @returns the id, or undefined when another replica has this place */
  add(replica: NewReplica): Promise<string | undefined>
  /** @param options.from states that the replica must be in @returns whether it was changed */
  change(id: string, change: ReplicaChange, options?: { readonly from?: readonly ReplicaState[] }): Promise<boolean>
  /** @param options.address removes it only if it still has this address @returns whether it was removed */
  remove(id: string, options?: { readonly address?: string }): Promise<boolean>
  /**
   * Writes the running requests of a front end, as one change. They end by themselves after `leaseMs` milliseconds; a
   * count of 0 ends them at once. Counts of replicas that are gone are dropped.
   */
  writeUses(frontend: string, uses: ReplicaUses, options: { readonly leaseMs: number }): Promise<void>
  /** Removes the requests of front ends that went away. @returns how many rows */
  removeExpiredUses(): Promise<number>
}

type Row = Omit<Tables['nodeReplicas']['$inferSelect'], 'loadRequest' | 'weights' | 'cleanupNextAt'>

/** What a replica shows. The other columns are long, and the list is read every second. */
function shownColumns(replicas: Tables['nodeReplicas']) {
  const { loadRequest: _request, weights: _weights, cleanupNextAt: _next, ...shown } = getTableColumns(replicas)
  return shown
}

/** The replicas in a database. */
export function createReplicaStore({ queries, dialect }: Pick<Database, 'queries' | 'dialect'>): ReplicaRows {
  const now = databaseNow(dialect)
  return {
    async list({ nodeId, model, exceptFrontend } = {}) {
      const rows = await queries.rows((db, { nodeReplicas: replicas, replicaUses: uses }) =>
        db
          .select({ row: shownColumns(replicas), frontend: uses.frontend, inFlight: uses.inFlight })
          .from(replicas)
          .leftJoin(uses, and(eq(uses.replicaId, replicas.id), gt(uses.expiresAt, now)))
          .where(
            and(
              nodeId === undefined ? undefined : eq(replicas.nodeId, nodeId),
              model === undefined ? undefined : eq(replicas.model, model),
            ),
          )
          .orderBy(replicas.model, replicas.nodeId, replicas.replicaIndex),
      )
      const found = new Map<string, { readonly row: Row; inFlight: number }>()
      for (const { row, frontend, inFlight } of rows) {
        const entry = found.get(row.id) ?? { row, inFlight: 0 }
        if (frontend !== exceptFrontend) entry.inFlight += inFlight ?? 0
        found.set(row.id, entry)
      }
      return [...found.values()].map(({ row, inFlight }) => toReplica(row, inFlight))
    },
    removeOfNode: (nodeId) =>
      queries.transaction(async (inside) => {
        await inside.change((db, { nodeReplicas: replicas, replicaUses: uses }) =>
          db
            .delete(uses)
            .where(
              inArray(uses.replicaId, db.select({ id: replicas.id }).from(replicas).where(eq(replicas.nodeId, nodeId))),
            ),
        )
        await inside.change((db, { nodeReplicas: replicas }) => db.delete(replicas).where(eq(replicas.nodeId, nodeId)))
      }),
    async removeByKeys(nodeId, processKeys) {
      if (processKeys.length === 0) return
      await queries.change((db, { nodeReplicas: replicas }) =>
        db.delete(replicas).where(and(eq(replicas.nodeId, nodeId), inArray(replicas.processKey, [...processKeys]))),
      )
    },
    async add(replica) {
      const id = randomUUID()
      const count = await queries.change((db, { nodeReplicas: replicas }) =>
        db
          .insert(replicas)
          .values({
            ...replica,
            id,
            processKey: toProcessKey(replica.model, replica.replicaIndex),
            address: '',
            createdAt: now,
            usedAt: now,
            cleanupAttempts: 0,
          })
          .onConflictDoNothing(),
      )
      return count > 0 ? id : undefined
    },
    async change(id, { cleanupInMs, cleanupError, ...change }, { from } = {}) {
      const count = await queries.change((db, { nodeReplicas: replicas }) =>
        db
          .update(replicas)
          .set({
            ...change,
            ...(change.state === 'loaded' ? { usedAt: now } : {}),
            ...(cleanupError === undefined ? {} : { cleanupError: cleanupError.slice(0, MAX_ERROR) }),
            ...(cleanupInMs === undefined ? {} : { cleanupNextAt: sql<number>`${now} + ${Math.trunc(cleanupInMs)}` }),
          })
          .where(and(eq(replicas.id, id), from === undefined ? undefined : inArray(replicas.state, [...from]))),
      )
      return count > 0
    },
    remove: (id, { address } = {}) =>
      queries.transaction(async (inside) => {
        const count = await inside.change((db, { nodeReplicas: replicas }) =>
          db
            .delete(replicas)
            .where(and(eq(replicas.id, id), address === undefined ? undefined : eq(replicas.address, address))),
        )
        if (count > 0) await inside.change((db, { replicaUses: uses }) => db.delete(uses).where(eq(uses.replicaId, id)))
        return count > 0
      }),
    writeUses: (frontend, counts, { leaseMs }) => writeUses({ queries, now }, { frontend, counts, leaseMs }),
    removeExpiredUses: () =>
      queries.change((db, { replicaUses: uses }) => db.delete(uses).where(lte(uses.expiresAt, now))),
  }
}

/** Writes the running requests of a front end, see {@link ReplicaRows.writeUses}. */
async function writeUses(
  { queries, now }: { readonly queries: DatabaseQueries; readonly now: SQL<number> },
  { frontend, counts, leaseMs }: { readonly frontend: string; readonly counts: ReplicaUses; readonly leaseMs: number },
): Promise<void> {
  if (counts.size === 0) return
  const ids = [...counts.keys()].sort()
  await queries.transaction(async (inside) => {
    const present = await inside.rows((db, { nodeReplicas: replicas }) =>
      db.select({ id: replicas.id }).from(replicas).where(inArray(replicas.id, ids)).orderBy(replicas.id),
    )
    await inside.change((db, { replicaUses: uses }) =>
      db.delete(uses).where(and(eq(uses.frontend, frontend), inArray(uses.replicaId, ids))),
    )
    const values = present
      .map(({ id }) => ({ replicaId: id, frontend, inFlight: counts.get(id) ?? 0 }))
      .filter(({ inFlight }) => inFlight > 0)
    if (values.length > 0) {
      const expiresAt = sql<number>`${now} + ${leaseMs}`
      await inside.change((db, { replicaUses: uses }) =>
        db.insert(uses).values(values.map((value) => ({ ...value, expiresAt }))),
      )
    }
    await inside.change((db, { nodeReplicas: replicas }) =>
      db.update(replicas).set({ usedAt: now }).where(inArray(replicas.id, ids)),
    )
  })
}

function toReplica(row: Row, inFlight: number): Replica {
  return {
    ...row,
    state: toState(row.state),
    sizeVram: row.sizeVram ?? undefined,
    cleanupError: row.cleanupError ?? undefined,
    inFlight,
  }
}

const STATES: readonly ReplicaState[] = ['staging', 'loading', 'loaded', 'unloading', 'idle']

/** An unknown state of a newer version gets no requests. */
function toState(state: string): ReplicaState {
  return STATES.find((each) => each === state) ?? 'unloading'
}
