import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Database } from '../../db/database.ts'
import type { NodeStatus } from '../contract/nodes.ts'
import type { heartbeat } from '../contract/registration.ts'
import { databaseNow } from './database-time.ts'
import { createNodeLiveness, type NodeLiveness } from './node-liveness.ts'
import { type NodeRecord, type NodeRow, toNodeRecord } from './node-record.ts'
import { noteHeartbeat, readNode, registerNode } from './register-node.ts'
import type { CheckedRegistration } from './report.ts'

/** Columns that administrators and the monitor change. */
export type NodeChange = Partial<
  Pick<
    NodeRow,
    | 'status'
    | 'isApproved'
    | 'ownLabels'
    | 'maxReplicas'
    | 'isMaxReplicasManual'
    | 'vramBudget'
    | 'isVramBudgetManual'
    | 'heartbeatAt'
  >
>

/** Rows of workers. Their times are those of the database. */
export interface NodeStore extends NodeLiveness {
  /** In the order of their names. */
  list(): Promise<readonly NodeRecord[]>
  find(id: string): Promise<NodeRecord | undefined>
  findByName(name: string): Promise<NodeRecord | undefined>
  /**
   * Adds a worker, or writes the report of the one with its name, which keeps its id, its approval and what
   * administrators set.
   *
   * @param options.keepsState whether a worker that drains goes on to drain
   * @throws {SvcError} `unavailable`, code `too_many_nodes` or `too_many_pending_nodes`
   */
  register(
    report: CheckedRegistration,
    options: { readonly isApproved: boolean; readonly keepsState: boolean },
  ): Promise<NodeRecord>
  /** Notes a heartbeat. @returns whether there is such a worker, and whether its state has changed */
  heartbeat(
    id: string,
    body: z.output<typeof heartbeat>,
  ): Promise<{ readonly isKnown: boolean; readonly hasChanged: boolean }>
  /** @param options.from states that the worker must be in @returns whether the row was changed */
  change(id: string, change: NodeChange, options?: { readonly from?: readonly NodeStatus[] }): Promise<boolean>
  reserve(id: string, bytes: number): Promise<void>
  remove(id: string): Promise<boolean>
}

/** The rows of workers in a database. */
export function createNodeStore({ queries, dialect }: Pick<Database, 'queries' | 'dialect'>): NodeStore {
  const now = databaseNow(dialect)
  const toRecord = (row: NodeRow | undefined): NodeRecord | undefined => row && toNodeRecord(row)
  return {
    list: async () =>
      (await queries.rows((db, { nodes }) => db.select().from(nodes).orderBy(asc(nodes.name)))).map(toNodeRecord),
    find: async (id) => toRecord(await readNode(queries, 'id', id)),
    findByName: async (name) => toRecord(await readNode(queries, 'name', name)),
    register: (report, options) => registerNode({ queries, now }, report, options),
    heartbeat: (id, body) => noteHeartbeat({ queries, now }, id, body),
    async change(id, change, { from } = {}) {
      const count = await queries.change((db, { nodes }) =>
        db
          .update(nodes)
          .set(change)
          .where(and(eq(nodes.id, id), from === undefined ? undefined : inArray(nodes.status, [...from]))),
      )
      return count > 0
    },
    async reserve(id, bytes) {
      await queries.change((db, { nodes }) =>
        db
          .update(nodes)
          .set({
            reservedVram: sql`case when ${nodes.reservedVram} + ${bytes} > 0 then ${nodes.reservedVram} + ${bytes} else 0 end`,
          })
          .where(eq(nodes.id, id)),
      )
    },
    remove: (id) =>
      queries.transaction(async (inside) => {
        await inside.change((db, { pendingBackendOps: ops }) => db.delete(ops).where(eq(ops.nodeId, id)))
        return (await inside.change((db, { nodes }) => db.delete(nodes).where(eq(nodes.id, id)))) > 0
      }),
    ...createNodeLiveness({ queries, now }),
  }
}
