import { and, asc, eq, gt, inArray, notInArray, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Replica, ReplicaState, ReplicaStore } from '../contract/nodes.ts'
import { databaseNow } from './database-time.ts'

/** Models on workers, as their rows and the leases of running requests tell. */
export function createReplicaRows({ queries, dialect }: Pick<Database, 'queries' | 'dialect'>): ReplicaStore {
  const now = databaseNow(dialect)
  /** Leases of replicas that are gone end with them. */
  const dropLeases = (inside: Pick<Database['queries'], 'change'>): Promise<number> =>
    inside.change((db, { replicaUses, nodeReplicas }) =>
      db
        .delete(replicaUses)
        .where(notInArray(replicaUses.replicaId, db.select({ id: nodeReplicas.id }).from(nodeReplicas))),
    )
  return {
    async list({ nodeId, model } = {}) {
      const rows = await queries.rows((db, { nodeReplicas: table }) =>
        db
          .select()
          .from(table)
          .where(
            and(
              nodeId === undefined ? undefined : eq(table.nodeId, nodeId),
              model === undefined ? undefined : eq(table.model, model),
            ),
          )
          .orderBy(asc(table.model), asc(table.replicaIndex)),
      )
      if (rows.length === 0) return []
      const uses = await queries.rows((db, { replicaUses: table }) =>
        db
          .select({ id: table.replicaId, inFlight: sql<number>`sum(${table.inFlight})` })
          .from(table)
          .where(gt(table.expiresAt, now))
          .groupBy(table.replicaId),
      )
      const inFlight = new Map(uses.map((use) => [use.id, Number(use.inFlight)]))
      return rows.map(
        ({ loadRequest: _, weights: __, cleanupAttempts: ___, cleanupNextAt: ____, ...row }): Replica => ({
          ...row,
          state: row.state as ReplicaState,
          sizeVram: row.sizeVram ?? undefined,
          cleanupError: row.cleanupError ?? undefined,
          inFlight: inFlight.get(row.id) ?? 0,
        }),
      )
    },
    removeOfNode: (nodeId) =>
      queries.transaction(async (inside) => {
        const count = await inside.change((db, { nodeReplicas: table }) =>
          db.delete(table).where(eq(table.nodeId, nodeId)),
        )
        if (count > 0) await dropLeases(inside)
      }),
    async removeByKeys(nodeId, processKeys) {
      if (processKeys.length === 0) return
      await queries.transaction(async (inside) => {
        await inside.change((db, { nodeReplicas: table }) =>
          db.delete(table).where(and(eq(table.nodeId, nodeId), inArray(table.processKey, [...processKeys]))),
        )
        await dropLeases(inside)
      })
    },
  }
}
