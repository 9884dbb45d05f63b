import { and, eq, gt, inArray, isNull } from 'drizzle-orm'
import { runExclusively } from '../cluster/front-ends/run-exclusively.ts'
import { databaseNow } from '../cluster/nodes/database-time.ts'
import type { Database } from '../db/database.ts'
import type { Queries } from '../db/queries.ts'
import { isSameChange, isSameObject } from './entry.ts'
import type { Operation } from './operation.ts'
import { fromRow, type OperationStore, saveOperation, toRow } from './operation-store.ts'

/** Options of {@link claimOperations}. */
export interface ClaimOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** Id of this server. */
  readonly owner: string
  /** Whether the models folder is that of all servers. */
  readonly sharesModels: boolean
}

/** An operation that waits or runs, with the server that has it. */
interface Claimed {
  readonly operation: Operation
  readonly owner: string
}

/** Name of the row whose lock serialises the claims of all servers. */
const LOCK = 'operations_lock'

/**
 * Makes the servers that share a database agree: the same change is queued once, and one object is changed by one server
 * at a time. Servers without a lease do not count.
 */
export function claimOperations(store: OperationStore, options: ClaimOptions): OperationStore {
  const { database, owner, sharesModels } = options
  const now = databaseNow(database.dialect)

  /** Runs work while no other server claims anything. */
  function alone<T>(work: (inside: Queries) => Promise<T>): Promise<T> {
    return runExclusively(database, { name: LOCK, holder: owner }, work)
  }

  /** Everything that waits or runs for the same object, oldest first. */
  async function listClaims(inside: Queries, { subject, nodeId, ...rest }: Operation): Promise<readonly Claimed[]> {
    const rows = await inside.rows((db, { operations, frontEnds }) =>
      db
        .select({ operation: operations })
        .from(operations)
        .innerJoin(frontEnds, eq(frontEnds.id, operations.owner))
        .where(
          and(
            inArray(operations.state, ['queued', 'running']),
            eq(operations.subject, subject),
            nodeId === undefined ? isNull(operations.nodeId) : eq(operations.nodeId, nodeId),
            gt(frontEnds.leaseUntil, now),
          ),
        )
        .orderBy(operations.createdAt, operations.jobId),
    )
    return rows
      .map(({ operation: row }) => ({ operation: fromRow(row), owner: row.owner }))
      .filter(({ operation }) => isSameObject(operation, { subject, nodeId, ...rest }))
  }

  return {
    ...store,
    insert(operation, { isHere }) {
      const joins = !isHere || (sharesModels && operation.subject === 'model')
      return alone(async (inside) => {
        const last = joins ? (await listClaims(inside, operation)).at(-1) : undefined
        if (last !== undefined && last.owner !== owner && isSameChange(last.operation, operation)) return last.operation
        await inside.change((db, { operations }) => db.insert(operations).values(toRow(operation, owner)))
        return undefined
      })
    },
    start: (operation) =>
      alone(async (inside) => {
        const isBusy = (await listClaims(inside, operation)).some(
          (other) =>
            other.owner !== owner && !isSameChange(other.operation, operation) && isBefore(other.operation, operation),
        )
        if (!isBusy) await saveOperation(inside, operation, owner)
        return !isBusy
      }),
  }
}

/** Whether a change goes first: it runs, or was asked for earlier. */
function isBefore(other: Operation, own: Operation): boolean {
  if (other.state === 'running' || other.createdAt < own.createdAt) return true
  return other.createdAt === own.createdAt && other.jobId < own.jobId
}
