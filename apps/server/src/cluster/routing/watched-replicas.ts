import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Clock } from '../../ports.ts'
import type { WatchedModel } from '../../residency/residency.ts'
import type { Replica } from '../contract/nodes.ts'
import type { ClusterCopy, ClusterSnapshot } from './cluster-copy.ts'
import type { RunningUses } from './running-uses.ts'

/** Parts of {@link createWatchedReplicas}. */
export interface WatchedReplicasParts {
  readonly copy: Pick<ClusterCopy, 'current'>
  readonly uses: Pick<RunningUses, 'count' | 'busySince' | 'endedAt'>
  readonly findModel: (name: string) => ModelConfig | undefined
  /** Lets a replica go unless it has requests. Never rejects. */
  readonly letGo: (replica: Replica) => Promise<void>
  /** Stops a replica whatever it does. */
  readonly kill: (replica: Replica) => Promise<unknown>
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * The loaded replicas, as the watchdog and the times of clients see them. Times are those of this server: a use by another
 * front end counts from when it is seen here, some seconds later. How long a request runs is judged by its own front end.
 */
export function createWatchedReplicas(parts: WatchedReplicasParts): () => readonly WatchedModel[] {
  const { copy, uses, findModel, letGo, kill, clock } = parts
  /** When this server has first seen the latest use of a replica. */
  let seen: ReadonlyMap<string, { readonly usedAt: number; readonly at: number }> = new Map()

  function toWatched(replica: Replica, isKept: boolean): WatchedModel {
    const { id, model, inFlight } = replica
    const usedAt = Math.max(seen.get(id)?.at ?? clock.monotonic(), uses.endedAt(id) ?? 0)
    const busySince = uses.busySince(id)
    const isIdle = busySince === undefined && inFlight === 0
    return {
      name: model,
      state: 'loaded',
      isElsewhere: true,
      isPinned: isKept || findModel(model)?.pinned === true,
      busySince,
      idleSince: isIdle ? usedAt : undefined,
      usedAt,
      stop: async ({ force }) => void (await (force ? kill(replica) : letGo(replica))),
    }
  }
  let snapshot: ClusterSnapshot | undefined
  return () => {
    snapshot = copy.current() ?? snapshot
    if (snapshot === undefined) return []
    const loaded = listLoaded(snapshot)
    const now = clock.monotonic()
    seen = new Map(
      loaded.map(({ id, usedAt }) => {
        const before = seen.get(id)
        // The own requests are known exactly, and written later.
        const isOwn = before !== undefined && (uses.endedAt(id) ?? 0) >= before.at
        return [id, before?.usedAt === usedAt ? before : { usedAt, at: isOwn ? (uses.endedAt(id) ?? now) : now }]
      }),
    )
    const kept = listKept(loaded, snapshot)
    return loaded.map((replica) => toWatched(replica, kept.has(replica)))
  }
}

function listLoaded({ view }: ClusterSnapshot): readonly Replica[] {
  return [...view.nodes()].flatMap(({ id }) => [...view.onNode(id).values()].filter(({ state }) => state === 'loaded'))
}

/** The replicas that the rules of their models ask for: the ones that were used last. */
function listKept(loaded: readonly Replica[], { rulesOf }: ClusterSnapshot): ReadonlySet<Replica> {
  const kept = new Set<Replica>()
  const counts = new Map<string, number>()
  for (const replica of loaded.toSorted((a, b) => b.usedAt - a.usedAt)) {
    const { minReplicas, spreadAll } = rulesOf(replica.model)
    const count = counts.get(replica.model) ?? 0
    counts.set(replica.model, count + 1)
    if (spreadAll || count < minReplicas) kept.add(replica)
  }
  return kept
}
