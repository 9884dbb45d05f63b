import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { eq, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { DatabaseQueries, Queries } from '../../db/queries.ts'
import type { NodeResources } from '../contract/nodes.ts'
import type { heartbeat } from '../contract/registration.ts'
import { automaticLabels } from './labels.ts'
import { type NodeRecord, type NodeRow, readResources, toNodeRecord } from './node-record.ts'
import { type CheckedRegistration, mergeHeartbeat } from './report.ts'

/** Workers that the table holds at most. */
const MAX_NODES = 10_000
/** Workers among them that wait for approval. */
const MAX_PENDING = 500
/** Time after which a worker that was refused a place may ask again, milliseconds. */
const RETRY_MS = 60_000

interface RegisterParts {
  readonly queries: DatabaseQueries
  /** The clock of the database. */
  readonly now: SQL<number>
}

/** Reads the row of a worker. */
export async function readNode(queries: Queries, field: 'id' | 'name', value: string): Promise<NodeRow | undefined> {
  const [row] = await queries.rows((db, { nodes }) => db.select().from(nodes).where(eq(nodes[field], value)))
  return row
}

/** See `NodeStore.register`. */
export async function registerNode(
  { queries, now }: RegisterParts,
  report: CheckedRegistration,
  options: { readonly isApproved: boolean; readonly keepsState: boolean },
): Promise<NodeRecord> {
  await queries.transaction(async (inside) => {
    const known = await readNode(inside, 'name', report.name)
    const values = { ...toColumns(report, known), heartbeatAt: now }
    if (known === undefined) {
      await checkRoom(inside, options)
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
  const row = await readNode(queries, 'name', report.name)
  if (row === undefined) throw new SvcError('conflict', 'the node was removed while it registered')
  return toNodeRecord(row)
}

/** See `NodeStore.heartbeat`. */
export async function noteHeartbeat(
  { queries, now }: RegisterParts,
  id: string,
  body: z.output<typeof heartbeat>,
): Promise<{ readonly isKnown: boolean; readonly hasChanged: boolean }> {
  return queries.transaction(async (inside) => {
    const row = await readNode(inside, 'id', id)
    if (row === undefined) return { isKnown: false, hasChanged: false }
    const resources = mergeHeartbeat(readResources(row), body)
    const heals = row.status === 'unhealthy' && row.isApproved === 1
    await inside.change((db, { nodes }) =>
      db
        .update(nodes)
        .set({
          resources: JSON.stringify(resources),
          heartbeatAt: now,
          ...(tellsMemory(resources, body) ? { reservedVram: 0 } : {}),
          ...(heals ? { status: 'healthy' } : {}),
        })
        .where(eq(nodes.id, id)),
    )
    return { isKnown: true, hasChanged: heals }
  })
}

/** Whether a heartbeat tells the free memory that models take: that of the devices or, without devices, the main one. */
function tellsMemory({ totalVram }: NodeResources, body: z.output<typeof heartbeat>): boolean {
  const { available_vram: vram, available_ram: ram } = body
  return (vram ?? undefined) !== undefined || (totalVram <= 0 && (ram ?? undefined) !== undefined)
}

async function checkRoom(queries: Queries, { isApproved }: { readonly isApproved: boolean }): Promise<void> {
  const [row] = await queries.rows((db, { nodes }) =>
    db
      .select({
        all: sql<number>`count(*)`,
        pending: sql<number>`sum(case when ${nodes.isApproved} = 0 then 1 else 0 end)`,
      })
      .from(nodes),
  )
  const isFull = Number(row?.all ?? 0) >= MAX_NODES
  if (!isFull && (isApproved || Number(row?.pending ?? 0) < MAX_PENDING)) return
  const message = isFull
    ? `there are ${MAX_NODES} nodes: remove those that are gone`
    : `${MAX_PENDING} nodes wait for approval: approve or remove some`
  throw new SvcError('unavailable', message, {
    code: isFull ? 'too_many_nodes' : 'too_many_pending_nodes',
    details: { type: 'node_error' },
    retryAfterMs: RETRY_MS,
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
