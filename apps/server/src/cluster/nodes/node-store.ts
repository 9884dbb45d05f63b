import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Database } from '../../db/database.ts'
import type { Queries } from '../../db/queries.ts'
import type { NodeStatus } from '../contract/nodes.ts'
import type { heartbeat } from '../contract/registration.ts'
import { databaseNow } from './database-time.ts'
import { automaticLabels } from './labels.ts'
import { type NodeRecord, type NodeRow, readResources, toNodeRecord } from './node-record.ts'
import { type CheckedRegistration, mergeHeartbeat } from './report.ts'

/** Workers that the table holds at most. */
const MAX_NODES = 10_000

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
export interface NodeStore {
  /** In the order of their names. */
  list(): Promise<readonly NodeRecord[]>
  find(id: string): Promise<NodeRecord | undefined>
  findByName(name: string): Promise<NodeRecord | undefined>
  /**
   * Adds a worker, or writes the report of the one with its name, which keeps its id, its approval and what
   * administrators set.
   *
   * @param options.keepsState whether a worker that drains goes on to drain
   * @throws {SvcError} `unavailable`, code `too_many_nodes`
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
  /** Workers that should be there and have sent nothing for this long, milliseconds. */
  stale(ageMs: number): Promise<readonly NodeRecord[]>
  /** Takes a worker offline, unless it has sent a heartbeat since it was read. @returns whether it was taken */
  takeOffline(node: Pick<NodeRecord, 'id' | 'heartbeatAt'>): Promise<boolean>
  /** Notes a sign of life of a worker. */
  touch(id: string): Promise<void>
  /** Makes workers healthy that are offline or unhealthy and have sent something within this time. @returns their ids */
  lift(ageMs: number): Promise<readonly string[]>
  /** The clock of the database, milliseconds since the epoch. */
  now(): Promise<number>
}

/** The rows of workers in a database. */
export function createNodeStore({ queries, dialect }: Pick<Database, 'queries' | 'dialect'>): NodeStore {
  const now = databaseNow(dialect)
  const read = async (from: Queries, field: 'id' | 'name', value: string): Promise<NodeRow | undefined> =>
    (await from.rows((db, { nodes }) => db.select().from(nodes).where(eq(nodes[field], value))))[0]
  const toRecord = (row: NodeRow | undefined): NodeRecord | undefined => row && toNodeRecord(row)
  return {
    list: async () =>
      (await queries.rows((db, { nodes }) => db.select().from(nodes).orderBy(asc(nodes.name)))).map(toNodeRecord),
    find: async (id) => toRecord(await read(queries, 'id', id)),
    findByName: async (name) => toRecord(await read(queries, 'name', name)),
    async register(report, options) {
      await queries.transaction(async (inside) => {
        const known = await read(inside, 'name', report.name)
        const values = { ...toColumns(report, known), heartbeatAt: now }
        if (known === undefined) {
          await checkRoom(inside)
          // Two servers may register a new name at the same time: the second one changes the row of the first.
          const status = options.isApproved ? 'healthy' : 'pending'
          await inside.change((db, { nodes }) =>
            db
              .insert(nodes)
              .values({
                ...values,
                id: randomUUID(),
                name: report.name,
                status,
                isApproved: options.isApproved ? 1 : 0,
                ownLabels: '{}',
                isMaxReplicasManual: 0,
                isVramBudgetManual: 0,
                reservedVram: 0,
                createdAt: now,
              })
              .onConflictDoUpdate({ target: nodes.name, set: values }),
          )
          return
        }
        const isApproved = known.isApproved === 1 || options.isApproved
        const keeps = options.keepsState && known.status === 'draining'
        const status = isApproved ? (keeps ? 'draining' : 'healthy') : 'pending'
        await inside.change((db, { nodes }) =>
          db
            .update(nodes)
            .set({ ...values, status, isApproved: isApproved ? 1 : 0, ...(keeps ? {} : { reservedVram: 0 }) })
            .where(eq(nodes.id, known.id)),
        )
      })
      const row = await read(queries, 'name', report.name)
      if (row === undefined) throw new SvcError('conflict', 'the node was removed while it registered')
      return toNodeRecord(row)
    },
    async heartbeat(id, body) {
      return queries.transaction(async (inside) => {
        const row = await read(inside, 'id', id)
        if (row === undefined) return { isKnown: false, hasChanged: false }
        const resources = mergeHeartbeat(readResources(row), body)
        const heals = row.status === 'unhealthy' && row.isApproved === 1
        await inside.change((db, { nodes }) =>
          db
            .update(nodes)
            .set({
              resources: JSON.stringify(resources),
              heartbeatAt: now,
              ...(body.available_vram === undefined || body.available_vram === null ? {} : { reservedVram: 0 }),
              ...(heals ? { status: 'healthy' } : {}),
            })
            .where(eq(nodes.id, id)),
        )
        return { isKnown: true, hasChanged: heals }
      })
    },
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
    async stale(ageMs) {
      const rows = await queries.rows((db, { nodes }) =>
        db
          .select()
          .from(nodes)
          .where(
            and(
              inArray(nodes.status, ['healthy', 'unhealthy', 'draining']),
              lt(nodes.heartbeatAt, sql`${now} - ${sql.raw(String(Math.floor(ageMs)))}`),
            ),
          ),
      )
      return rows.map(toNodeRecord)
    },
    async takeOffline({ id, heartbeatAt }) {
      const count = await queries.change((db, { nodes }) =>
        db
          .update(nodes)
          .set({ status: 'offline', reservedVram: 0 })
          .where(
            and(
              eq(nodes.id, id),
              eq(nodes.heartbeatAt, heartbeatAt),
              inArray(nodes.status, ['healthy', 'unhealthy', 'draining']),
            ),
          ),
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
              sql`${nodes.heartbeatAt} > ${now} - ${sql.raw(String(Math.floor(ageMs)))}`,
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
    async now() {
      const [row] = await queries.rows((db, { instance }) => db.select({ now }).from(instance).limit(1))
      return Number(row?.now ?? 0)
    },
  }
}

async function checkRoom(queries: Queries): Promise<void> {
  const [row] = await queries.rows((db, { nodes }) => db.select({ count: sql<number>`count(*)` }).from(nodes))
  if (Number(row?.count ?? 0) < MAX_NODES) return
  throw new SvcError('unavailable', `there are ${MAX_NODES} nodes: remove those that are gone`, {
    code: 'too_many_nodes',
    details: { type: 'node_error' },
  })
}

/** What a worker tells about itself. Values that an administrator set stay. */
function toColumns(report: CheckedRegistration, known: NodeRow | undefined) {
  const isReplicasManual = known?.isMaxReplicasManual === 1
  const isBudgetManual = known?.isVramBudgetManual === 1
  return {
    kind: report.kind,
    address: report.address,
    httpAddress: report.httpAddress,
    resources: JSON.stringify(report.resources),
    labels: JSON.stringify({ ...report.labels, ...automaticLabels(report.name, report.resources) }),
    maxReplicas: isReplicasManual ? known.maxReplicas : report.maxReplicas,
    vramBudget: isBudgetManual ? known.vramBudget : report.vramBudget,
  }
}
