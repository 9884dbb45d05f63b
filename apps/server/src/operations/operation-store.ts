import { and, asc, desc, eq, inArray, notInArray } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Queries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import { FINISHED_STATES, type Operation, type OperationState } from './operation.ts'

/** The operations of one server in the database. */
export interface OperationStore {
  /** Everything that is not in the history, in the order of the queue. */
  unfinished(): Promise<readonly Operation[]>
  /** The history, newest first. */
  history(): Promise<readonly Operation[]>
  find(jobId: string): Promise<Operation | undefined>
  /**
   * Adds a queued operation.
   *
   * @param options.isHere whether it is to run on this server also where another one runs the same
   * @returns the same operation of another server, which is joined instead
   */
  insert(operation: Operation, options: { readonly isHere: boolean }): Promise<Operation | undefined>
  /** Notes that an operation runs. @returns false while another server changes the object */
  start(operation: Operation): Promise<boolean>
  /** Writes the state of an operation, its times and its error. The history keeps the newest 50. */
  save(operation: Operation): Promise<void>
  /** Removes the history. */
  clear(): Promise<void>
}

/** Records that the history keeps (§3.3). */
export const MAX_HISTORY = 50
const finished = [...FINISHED_STATES]

/** The operations of a server, by its id. */
export function createOperationStore({
  database: { queries },
  owner,
}: {
  readonly database: Pick<Database, 'queries'>
  readonly owner: string
}): OperationStore {
  return {
    async unfinished() {
      if (!(await queries.holdsRows('operations'))) return []
      const rows = await queries.rows((db, { operations }) =>
        db
          .select()
          .from(operations)
          .where(and(eq(operations.owner, owner), notInArray(operations.state, finished)))
          .orderBy(asc(operations.position)),
      )
      return rows.map(fromRow)
    },
    async history() {
      if (!(await queries.holdsRows('operations'))) return []
      const rows = await queries.rows((db, { operations }) =>
        db
          .select()
          .from(operations)
          .where(and(eq(operations.owner, owner), inArray(operations.state, finished)))
          .orderBy(desc(operations.finishedAt), desc(operations.position))
          .limit(MAX_HISTORY),
      )
      return rows.map(fromRow)
    },
    async find(jobId) {
      const [row] = await queries.rows((db, { operations }) =>
        db
          .select()
          .from(operations)
          .where(and(eq(operations.owner, owner), eq(operations.jobId, jobId))),
      )
      return row && fromRow(row)
    },
    async insert(operation) {
      await queries.change((db, { operations }) => db.insert(operations).values(toRow(operation, owner)))
      return undefined
    },
    async start(operation) {
      await queries.transaction((inside) => saveOperation(inside, operation, owner))
      return true
    },
    save: (operation) => queries.transaction((inside) => saveOperation(inside, operation, owner)),
    async clear() {
      await queries.change((db, { operations }) =>
        db.delete(operations).where(and(eq(operations.owner, owner), inArray(operations.state, finished))),
      )
    },
  }
}

/** Writes the state of an operation and trims the history of its server. */
export async function saveOperation(inside: Queries, operation: Operation, owner: string): Promise<void> {
  const { state, error = null, startedAt = null, finishedAt = null } = operation
  await inside.change((db, { operations }) =>
    db
      .update(operations)
      .set({
        state,
        error,
        startedAt,
        finishedAt,
        ...(operation.resumes === undefined ? {} : { details: formatDetails(operation) }),
      })
      .where(eq(operations.jobId, operation.jobId)),
  )
  if (!finished.includes(state)) return
  await inside.change((db, { operations }) => {
    const kept = db
      .select({ jobId: operations.jobId })
      .from(operations)
      .where(and(eq(operations.owner, owner), inArray(operations.state, finished)))
      .orderBy(desc(operations.finishedAt), desc(operations.position))
      .limit(MAX_HISTORY)
    return db
      .delete(operations)
      .where(and(eq(operations.owner, owner), inArray(operations.state, finished), notInArray(operations.jobId, kept)))
  })
}

export type OperationRow = Tables['operations']['$inferSelect']

/** The row of an operation. */
export function toRow(operation: Operation, owner: string): OperationRow {
  const {
    details: _,
    resumes: __,
    error = null,
    nodeId = null,
    startedAt = null,
    finishedAt = null,
    ...rest
  } = operation
  return { ...rest, owner, details: formatDetails(operation), error, nodeId, startedAt, finishedAt }
}

/** The key of the resumes in the column of the details. No request can have it: the details are checked by their names. */
const RESUMES = '$resumes'

function formatDetails({ details, resumes }: Operation): string {
  return JSON.stringify(resumes === undefined ? details : { ...details, [RESUMES]: resumes })
}

/** The operation of a row. */
export function fromRow({ owner: _, ...row }: OperationRow): Operation {
  // The columns hold what `toRow` wrote.
  const { [RESUMES]: resumes, ...details } = JSON.parse(row.details) as Operation['details']
  return {
    jobId: row.jobId,
    state: row.state as OperationState,
    subject: row.subject as Operation['subject'],
    action: row.action as Operation['action'],
    fullName: row.fullName,
    details,
    resumes: resumes as Operation['resumes'],
    error: row.error ?? undefined,
    nodeId: row.nodeId ?? undefined,
    position: row.position,
    createdAt: row.createdAt,
    startedAt: row.startedAt ?? undefined,
    finishedAt: row.finishedAt ?? undefined,
  }
}
