import type { Replica } from '../contract/nodes.ts'
import type { LoadJob } from '../loads/load-jobs.ts'
import type { ClusterState } from './observe-cluster.ts'
import type { ReconcilerParts } from './reconciler-parts.ts'
import { stopReplica } from './stop-replica.ts'

const CLAIM_MS = 10_000
/** Time for which it is told that a model is gone. */
const TELL_MS = 15_000

type Parts = Pick<
  ReconcilerParts,
  'nodes' | 'replicas' | 'jobs' | 'messenger' | 'startLoad' | 'revisionOf' | 'logger'
> & {
  /** Id of this server. */
  readonly owner: string
}

/** Goes on with loads whose server is gone, on the same worker if it is there. */
export async function takeOverLoads(parts: Parts, signal: AbortSignal): Promise<void> {
  const orphans = await parts.jobs.orphans()
  if (orphans.length === 0) return
  const healthy = new Set((await parts.nodes.list()).filter(({ status }) => status === 'healthy').map(({ id }) => id))
  for (const job of orphans) {
    signal.throwIfAborted()
    try {
      await takeOver(parts, job, job.nodeId !== undefined && healthy.has(job.nodeId) ? job.nodeId : undefined)
    } catch (error) {
      signal.throwIfAborted()
      parts.logger.warn({ model: job.model, err: error }, 'a load whose server is gone could not be taken over')
    }
  }
}

async function takeOver(parts: Parts, job: LoadJob, nodeId: string | undefined): Promise<void> {
  const { jobs, startLoad, logger, owner } = parts
  const { key, model, replicaIndex, configRevision } = job
  const revision = parts.revisionOf(model)
  if (revision === configRevision) {
    if (await startLoad(model, { replicaIndex, nodeId, key })) {
      logger.info({ model, node: job.nodeName }, 'a load whose server is gone goes on here')
    }
    return
  }
  const claim = await jobs.claim({ key, model, replicaIndex, configRevision }, { owner, leaseMs: CLAIM_MS })
  if (claim === undefined) return
  // Those who wait for a model that has changed begin a load of the new one.
  if (revision !== undefined) await jobs.finish(claim)
  else await jobs.fail(claim, { error: `the model ${model} was removed while it was loaded`, tellMs: TELL_MS })
}

/** Stops the replicas of loads that have ended without them. */
export interface ForsakenLoads {
  look(state: ClusterState, signal: AbortSignal): Promise<void>
}

/** A row is judged at its second look, because a load may be between its two changes. */
export function createForsakenLoads(parts: Parts): ForsakenLoads {
  const { replicas, jobs, messenger, logger } = parts
  let suspects: ReadonlySet<string> = new Set()
  return {
    async look({ settled, replicas: rows, jobs: known }, signal) {
      const found = rows.filter((row) => settled.has(row.id) && isLoading(row) && !known.some(standsBehind(row)))
      const seenTwice = found.filter(({ id }) => suspects.has(id))
      suspects = new Set(found.map(({ id }) => id))
      for (const row of seenTwice) {
        if ((await jobs.list(row.model)).some(standsBehind(row))) continue
        logger.warn({ model: row.model, node: row.nodeId }, 'a replica is removed whose load has ended without it')
        await stopReplica(row, { messenger, replicas, signal })
      }
    },
  }
}

const isLoading = ({ state }: Replica): boolean => state === 'staging' || state === 'loading'

/** A load that has not chosen its worker yet may be that of any row. */
const standsBehind =
  ({ model, nodeId }: Replica) =>
  (job: LoadJob): boolean =>
    job.model === model && job.state !== 'failed' && (job.nodeId === undefined || job.nodeId === nodeId)
