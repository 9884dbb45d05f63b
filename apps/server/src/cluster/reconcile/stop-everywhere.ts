import type { Residency, StopOutcome } from '../../residency/residency.ts'
import type { ShutdownModel } from './shutdown-model.ts'

/**
 * A stop that ends a model on this machine and on all workers. Both are tried; the failure of one does not keep the other.
 *
 * @param parts.signal ends the wait for workers
 */
export function stopEverywhere({
  residency,
  shutdownModel,
  signal,
}: {
  readonly residency: Pick<Residency, 'stop'>
  readonly shutdownModel: ShutdownModel
  readonly signal: AbortSignal
}): Pick<Residency, 'stop'> {
  return {
    async stop(name, { force = false } = {}) {
      const [here, onWorkers] = await Promise.allSettled([
        residency.stop(name, { force }),
        shutdownModel(name, { force, signal }),
      ])
      if (here.status === 'rejected') throw here.reason
      if (onWorkers.status === 'rejected') throw onWorkers.reason
      const { replicas, loads, endedCalls } = onWorkers.value
      if (replicas + loads === 0) return here.value
      const outcome: StopOutcome = here.value ?? { how: replicas > 0 ? 'released' : 'aborted', endedCalls: 0 }
      return { ...outcome, endedCalls: outcome.endedCalls + endedCalls }
    },
  }
}
