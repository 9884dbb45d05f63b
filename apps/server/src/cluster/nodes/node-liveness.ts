import { and, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { DatabaseQueries } from '../../db/queries.ts'
import type { Tables } from '../../db/schema.ts'
import { type NodeRecord, toNodeRecord } from './node-record.ts'

/** Signs of life of workers. */
export interface NodeLiveness {
  /** Workers that should be there and have sent nothing for this long, milliseconds. */
  stale(ageMs: number): Promise<readonly NodeRecord[]>
  /** Whether a worker has sent something within this time, milliseconds. */
  isFresh(id: string, ageMs: number): Promise<boolean>
  /** Removes workers that wait for approval and have sent nothing for this long, milliseconds. @returns their ids */
  removeForgotten(ageMs: number): Promise<readonly string[]>
  /** Takes a worker offline, unless it has sent a heartbeat since it was read. @returns whether it was taken */
  takeOffline(node: Pick<NodeRecord, 'id' | 'heartbeatAt'>): Promise<boolean>
  /** Notes a sign of life of a worker. */
  touch(id: string): Promise<void>
  /** Makes workers healthy that are offline or unhealthy and have sent something within this time. @returns their ids */
  lift(ageMs: number): Promise<readonly string[]>
}

/** Workers that are forgotten in one go. */
const MAX_FORGOTTEN = 500

/** States of workers that should send heartbeats. */
const PRESENT = ['healthy', 'unhealthy', 'draining']

/** @param parts `now` is the clock of the database */
export function createNodeLiveness({
  queries,
  now,
}: {
  readonly queries: DatabaseQueries
  readonly now: SQL<number>
}): NodeLiveness {
  const before = (ageMs: number): SQL<number> => sql<number>`${now} - ${sql.raw(String(Math.floor(ageMs)))}`
  return {
    async isFresh(id, ageMs) {
      const rows = await queries.rows((db, { nodes }) =>
        db
          .select({ id: nodes.id })
          .from(nodes)
          .where(and(eq(nodes.id, id), gt(nodes.heartbeatAt, before(ageMs)))),
      )
      return rows.length > 0
    },
    async removeForgotten(ageMs) {
      const forgotten = ({ nodes }: Tables) =>
        and(eq(nodes.status, 'pending'), eq(nodes.isApproved, 0), lt(nodes.heartbeatAt, before(ageMs)))
      const rows = await queries.rows((db, tables) =>
        db.select({ id: tables.nodes.id }).from(tables.nodes).where(forgotten(tables)).limit(MAX_FORGOTTEN),
      )
      const ids = rows.map(({ id }) => id)
      if (ids.length === 0) return []
      const removed = await queries.transaction(async (inside) => {
        await inside.change((db, tables) =>
          db.delete(tables.nodes).where(and(inArray(tables.nodes.id, ids), forgotten(tables))),
        )
        const kept = await inside.rows((db, { nodes }) =>
          db.select({ id: nodes.id }).from(nodes).where(inArray(nodes.id, ids)),
        )
        const gone = ids.filter((id) => !kept.some((each) => each.id === id))
        if (gone.length > 0) {
          await inside.change((db, { pendingBackendOps: ops }) => db.delete(ops).where(inArray(ops.nodeId, gone)))
        }
        return gone
      })
      return removed
    },
    async stale(ageMs) {
      const rows = await queries.rows((db, { nodes }) =>
        db
          .select()
          .from(nodes)
          .where(and(inArray(nodes.status, PRESENT), lt(nodes.heartbeatAt, before(ageMs)))),
      )
      return rows.map(toNodeRecord)
    },
    async takeOffline({ id, heartbeatAt }) {
      const count = await queries.change((db, { nodes }) =>
        db
          .update(nodes)
          .set({ status: 'offline', reservedVram: 0 })
          .where(and(eq(nodes.id, id), eq(nodes.heartbeatAt, heartbeatAt), inArray(nodes.status, PRESENT))),
      )
      return count > 0
    },
    async touch(id) {
      await queries.change((db, { nodes }) => db.update(nodes).set({ heartbeatAt: now }).where(eq(nodes.id, id)))
    },
    async lift(ageMs) {
      const rows = await queries.rows((db, { nodes }) =>
        db
          .select({ id: nodes.id })
          .from(nodes)
          .where(
            and(
              inArray(nodes.status, ['offline', 'unhealthy']),
              eq(nodes.isApproved, 1),
              gt(nodes.heartbeatAt, before(ageMs)),
            ),
          ),
      )
      const lifted: string[] = []
      for (const { id } of rows) {
        const count = await queries.change((db, { nodes }) =>
          db
            .update(nodes)
            .set({ status: 'healthy' })
            .where(and(eq(nodes.id, id), inArray(nodes.status, ['offline', 'unhealthy']))),
        )
        if (count > 0) lifted.push(id)
      }
      return lifted
    },
  }
}
