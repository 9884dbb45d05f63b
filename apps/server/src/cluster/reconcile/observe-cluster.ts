import type { Database } from '../../db/database.ts'
import type { ClusterNode, Replica } from '../contract/nodes.ts'
import type { RunningProcess } from '../decisions/reconcile-types.ts'
import type { LoadJob } from '../loads/load-jobs.ts'
import { databaseNow } from '../nodes/database-time.ts'
import { inBatches } from './in-batches.ts'
import type { ReconcilerParts } from './reconciler-parts.ts'
import { listProcesses } from './worker-processes.ts'

/** Workers that are asked at the same time. */
const ASKED = 64

/** The cluster at one moment. */
export interface ClusterState {
  readonly nodes: readonly ClusterNode[]
  /** Rows that were there before and after the workers were asked and have not changed meanwhile. */
  readonly settled: ReadonlySet<string>
  readonly replicas: readonly Replica[]
  readonly jobs: readonly LoadJob[]
  readonly running: RunningByNode
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly askedAt: number
}

type Parts = Pick<ReconcilerParts, 'nodes' | 'replicas' | 'jobs' | 'messenger' | 'database' | 'logger'>

/** What workers say they run, by their ids; one that did not answer is absent. */
export type RunningByNode = ReadonlyMap<string, readonly RunningProcess[]>

/**
 * Reads the rows, asks the workers, and reads the rows again. Rows that change in between are those of loads and stops
 * that run now: nothing is concluded from them.
 */
export async function observeCluster(parts: Parts, signal: AbortSignal): Promise<ClusterState> {
  const askedAt = await readTime(parts.database)
  const before = new Map((await parts.replicas.list()).map((replica) => [replica.id, replica]))
  const running = await askWorkers(await parts.nodes.list(), parts, signal)
  const jobs = await parts.jobs.list()
  const replicas = await parts.replicas.list()
  const nodes = await parts.nodes.list()
  const settled = new Set(replicas.filter((row) => isSame(row, before.get(row.id))).map(({ id }) => id))
  return { nodes, settled, replicas, jobs, running, askedAt }
}

/** Whether nothing has happened to a row between two looks. */
export function isSame(after: Replica, before: Replica | undefined): boolean {
  return before !== undefined && before.state === after.state && before.address === after.address
}

/** Asks those workers of a list that may run something. */
export async function askWorkers(
  nodes: readonly ClusterNode[],
  { messenger, logger }: Pick<Parts, 'messenger' | 'logger'>,
  signal: AbortSignal,
): Promise<RunningByNode> {
  const running = new Map<string, readonly RunningProcess[]>()
  const asked = nodes.filter(
    ({ kind, status }) => kind === 'backend' && (status === 'healthy' || status === 'draining'),
  )
  await inBatches(asked, ASKED, async ({ id, name }) => {
    try {
      running.set(id, await listProcesses(messenger, id, signal))
    } catch (error) {
      signal.throwIfAborted()
      logger.debug({ node: name, err: error }, 'a worker does not tell what it runs')
    }
  })
  return running
}

async function readTime({ queries, dialect }: Pick<Database, 'queries' | 'dialect'>): Promise<number> {
  const now = databaseNow(dialect)
  const [row] = await queries.rows((db, { instance }) => db.select({ now }).from(instance).limit(1))
  return Number(row?.now ?? 0)
}
