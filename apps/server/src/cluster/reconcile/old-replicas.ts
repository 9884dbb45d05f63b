import type { Database } from '../../db/database.ts'
import type { Logger } from '../../ports.ts'
import type { Replica, ReplicaState } from '../contract/nodes.ts'
import type { LoadJobs } from '../loads/load-jobs.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'
import { CLEANUP_CLAIM_MS } from './drain-replicas.ts'
import { endLoads } from './end-loads.ts'

const IN_USE: readonly ReplicaState[] = ['staging', 'loading', 'loaded', 'idle']

/** What a model should be: a configuration, nothing because it is gone, or not known here. */
export type WantedRevision = { readonly revision: string | undefined } | 'unknown'

/** Parts of {@link createOldReplicas}. */
export interface OldReplicaParts {
  readonly replicas: Pick<ReplicaRows, 'list' | 'change'>
  readonly jobs: Pick<LoadJobs, 'list'>
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly wantedRevision: (model: string) => WantedRevision
  /** Tells that replicas or loads of a model have changed. */
  readonly announce: (model: string) => void
  readonly logger: Logger
}

/** Replicas and loads of other configurations than those of their models. */
export interface OldReplicas {
  /**
   * Takes the replicas out of use, and ends the loads.
   *
   * @returns the replicas that this server has taken out, and whether there are any
   */
  takeOut(models: readonly string[]): Promise<{ readonly mine: readonly Replica[]; readonly isAny: boolean }>
  /** How many there are. */
  count(models: readonly string[]): Promise<number>
}

/** Creates the search for old replicas. */
export function createOldReplicas(parts: OldReplicaParts): OldReplicas {
  const { replicas, jobs, database, wantedRevision, announce, logger } = parts

  function createJudge(models: readonly string[]): (each: { model: string; configRevision: string }) => boolean {
    const wanted = new Map(models.map((model) => [model, wantedRevision(model)]))
    return ({ model, configRevision }) => {
      const now = wanted.get(model)
      return now !== undefined && now !== 'unknown' && now.revision !== configRevision
    }
  }

  async function endOldLoads(model: string): Promise<void> {
    const wanted = wantedRevision(model)
    if (wanted === 'unknown') return
    await endLoads(database, model, {
      error: `model "${model}" was changed while it was loaded`,
      except: wanted.revision,
    })
  }

  return {
    async takeOut(models) {
      const isOld = createJudge(models)
      const loads = (await jobs.list()).filter((job) => job.state !== 'failed' && isOld(job))
      for (const model of new Set(loads.map((job) => job.model))) await endOldLoads(model)
      const stale = (await replicas.list()).filter(isOld)
      const mine: Replica[] = []
      for (const row of stale) {
        if (await replicas.change(row.id, { state: 'unloading', cleanupInMs: CLEANUP_CLAIM_MS }, { from: IN_USE }))
          mine.push(row)
      }
      const changed = [...new Set(mine.map(({ model }) => model))]
      if (changed.length > 0) logger.info({ models: changed }, 'replicas of an old configuration are let go')
      for (const model of new Set([...changed, ...loads.map((job) => job.model)])) announce(model)
      return { mine, isAny: stale.length > 0 }
    },
    count: async (models) => (await replicas.list()).filter(createJudge(models)).length,
  }
}
