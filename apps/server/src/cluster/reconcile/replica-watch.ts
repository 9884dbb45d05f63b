import type { Replica } from '../contract/nodes.ts'
import { inBatches } from './in-batches.ts'
import { askWorkers, isSame, type RunningByNode } from './observe-cluster.ts'
import type { ReconcilerParts } from './reconciler-parts.ts'
import { stopReplica } from './stop-replica.ts'

/** Looks without an answer, after which a process is judged dead. A busy one may have no time for an answer. */
const MISSES = 3
const BUSY_MISSES = 12
/** Processes that are asked at the same time. */
const ASKED = 64

/** Asks the process of a replica for its health. @returns whether it is well */
export type ProbeReplica = (replica: Replica, signal: AbortSignal) => Promise<boolean>

type Parts = Pick<ReconcilerParts, 'nodes' | 'replicas' | 'messenger' | 'logger'> & {
  readonly probe?: ProbeReplica | undefined
}

/** Watches the processes of loaded replicas. */
export interface ReplicaWatch {
  /** One look. The next one is due five seconds later. */
  look(signal: AbortSignal): Promise<void>
}

/**
 * Removes replicas whose processes are gone or do not answer. What a worker says it does not run is gone at once. A
 * process that its worker runs and that misses three looks is stopped. When no process of several workers answers, this
 * server is the one that is cut off: nothing is counted.
 */
export function createReplicaWatch(parts: Parts): ReplicaWatch {
  const { replicas, messenger, logger } = parts
  let misses: ReadonlyMap<string, number> = new Map()

  async function findDeaf(rows: readonly Replica[], signal: AbortSignal): Promise<readonly Replica[]> {
    const { probe } = parts
    if (probe === undefined) return []
    const deaf: Replica[] = []
    await inBatches(rows, ASKED, async (row) => {
      const isWell = await probe(row, signal).catch(() => false)
      signal.throwIfAborted()
      if (!isWell) deaf.push(row)
    })
    const isCutOff = deaf.length === rows.length && new Set(rows.map(({ nodeId }) => nodeId)).size > 1
    return isCutOff ? [] : deaf
  }
  return {
    async look(signal) {
      if (!messenger.isConnected) return
      const before = (await replicas.list()).filter(({ state }) => state === 'loaded')
      if (before.length === 0) return
      const used = new Set(before.map(({ nodeId }) => nodeId))
      const nodes = (await parts.nodes.list()).filter(({ id }) => used.has(id))
      const running = await askWorkers(nodes, parts, signal)
      if (!messenger.isConnected) return
      const byId = new Map(before.map((row) => [row.id, row]))
      const { gone, there } = compare(
        (await replicas.list()).filter((row) => isSame(row, byId.get(row.id))),
        running,
      )
      for (const { id, address, model, nodeId } of gone) {
        if (await replicas.remove(id, { address })) {
          logger.warn({ model, node: nodeId }, 'a process has ended by itself; its replica is removed')
        }
      }
      const deaf = await findDeaf(there, signal)
      misses = new Map(deaf.map(({ id }) => [id, (misses.get(id) ?? 0) + 1]))
      for (const row of deaf) {
        if ((misses.get(row.id) ?? 0) < (row.inFlight > 0 ? BUSY_MISSES : MISSES)) continue
        logger.warn({ model: row.model, node: row.nodeId }, 'a process does not answer; its replica is stopped')
        await stopReplica(row, { messenger, replicas, signal, force: true })
      }
    },
  }
}

/** Replicas of workers that answered: those whose processes are gone, and the others. */
function compare(
  rows: readonly Replica[],
  running: RunningByNode,
): { readonly gone: readonly Replica[]; readonly there: readonly Replica[] } {
  const [gone, there]: [Replica[], Replica[]] = [[], []]
  for (const row of rows) {
    const processes = running.get(row.nodeId)
    if (processes === undefined) continue
    const isRunning = processes.some(
      ({ model, replicaIndex, address }) =>
        model === row.model && replicaIndex === row.replicaIndex && (address === '' || address === row.address),
    )
    ;(isRunning ? there : gone).push(row)
  }
  return { gone, there }
}
