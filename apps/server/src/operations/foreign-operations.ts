import { and, desc, eq, inArray, ne, notInArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { databaseNow } from '../cluster/nodes/database-time.ts'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { createEntry, toView } from './entry.ts'
import { FINISHED_STATES, isPending, type Operation, type OperationView } from './operation.ts'
import { fromRow, MAX_HISTORY, type OperationRow } from './operation-store.ts'

/** An operation of another front end. */
export interface ForeignOperation {
  readonly view: OperationView
  /** Whether its server lives. The work of one that is gone is shown as failed; its server takes it up again. */
  readonly isAlive: boolean
}

/** The operations of the other front ends in the database. */
export interface ForeignOperations {
  /** Everything that is not in the history, at most 1,000. */
  list(): Promise<readonly ForeignOperation[]>
  find(jobId: string): Promise<ForeignOperation | undefined>
  /** The history of all front ends, this one included, newest first. */
  history(): Promise<readonly Operation[]>
  /** Moves the work of a front end that is gone to the history. */
  dismiss(jobId: string): Promise<void>
  /** Removes the history of all front ends. */
  clear(): Promise<void>
}

const MAX_LISTED = 1000
const GONE = 'the server that ran it is gone'

const PHASES = ['Resolving files', 'Downloading', 'Verifying', 'Finalizing', 'Saving configuration'] as const
const count = z.number().optional()
const progressSchema = z.object({
  progress: z.object({
    percent: z.number(),
    phase: z.enum(PHASES).optional(),
    message: z.string(),
    fileName: z.string().optional(),
    currentBytes: count,
    totalBytes: count,
    receivedBytes: count,
  }),
  rate: z.object({ bytesPerSecond: count, secondsLeft: count }),
  cancellable: z.boolean(),
})

/** The progress of the operations of a front end, as others read it. */
export function describeProgress(views: readonly OperationView[]): Record<string, z.infer<typeof progressSchema>> {
  const open = views.filter(isPending).slice(0, MAX_LISTED)
  return Object.fromEntries(
    open.map(({ jobId, progress, rate, cancellable }) => [jobId, { progress, rate, cancellable }]),
  )
}

/** The operations of all front ends but one. */
export function createForeignOperations(
  { queries, dialect }: Pick<Database, 'queries' | 'dialect'>,
  owner: string,
): ForeignOperations {
  const now = databaseNow(dialect)
  const finished = [...FINISHED_STATES]
  const isForeign = (operations: Tables['operations']): SQL => ne(operations.owner, owner)

  async function select(where: (operations: Tables['operations']) => SQL | undefined): Promise<ForeignOperation[]> {
    const rows = await queries.rows((db, { operations, frontEnds }) =>
      db
        .select({
          operation: operations,
          progress: frontEnds.progress,
          isAlive: sql<number>`case when ${frontEnds.leaseUntil} > ${now} then 1 else 0 end`,
        })
        .from(operations)
        .leftJoin(frontEnds, eq(frontEnds.id, operations.owner))
        .where(where(operations))
        .orderBy(operations.createdAt)
        .limit(MAX_LISTED),
    )
    return rows.map(({ operation, progress, isAlive }) => toForeign(operation, Number(isAlive) === 1, progress))
  }

  return {
    list: () => select((operations) => and(isForeign(operations), notInArray(operations.state, finished))),
    async find(jobId) {
      const [found] = await select((operations) => and(isForeign(operations), eq(operations.jobId, jobId)))
      return found
    },
    async history() {
      const rows = await queries.rows((db, { operations }) =>
        db
          .select()
          .from(operations)
          .where(inArray(operations.state, finished))
          .orderBy(desc(operations.finishedAt), desc(operations.position))
          .limit(MAX_HISTORY),
      )
      return rows.map(fromRow)
    },
    async dismiss(jobId) {
      await queries.change((db, { operations }) =>
        db
          .update(operations)
          .set({ state: 'dismissed', error: GONE, finishedAt: now })
          .where(and(isForeign(operations), eq(operations.jobId, jobId), notInArray(operations.state, finished))),
      )
    },
    async clear() {
      await queries.change((db, { operations }) => db.delete(operations).where(inArray(operations.state, finished)))
    },
  }
}

function toForeign(row: OperationRow, isAlive: boolean, progress: string | null): ForeignOperation {
  const operation = fromRow(row)
  if (!isPending(operation)) return { view: toView(createEntry(operation), 0), isAlive }
  if (!isAlive) return { view: toView(createEntry({ ...operation, state: 'failed', error: GONE }), 0), isAlive }
  return { view: { ...toView(createEntry(operation), 0), ...readProgress(progress, operation.jobId) }, isAlive }
}

/** What the front end wrote about the operation. Another version may write another form. */
function readProgress(text: string | null, jobId: string): Partial<z.infer<typeof progressSchema>> {
  const all = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text ?? '{}')).data
  return progressSchema.safeParse(all?.[jobId]).data ?? {}
}
