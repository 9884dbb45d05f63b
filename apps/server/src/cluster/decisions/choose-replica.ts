import type { Replica, Scheduling } from '../contract/nodes.ts'
import type { PrefixChain } from './prefix-chain.ts'
import type { PrefixView } from './prefix-index.ts'
import type { ReplicaKey } from './prefix-owners.ts'

const DEFAULT_ABS_THRESHOLD = 2
const DEFAULT_REL_THRESHOLD = 1.5
const DEFAULT_MIN_MATCH = 0.3

/** Everything that the choice of a replica is made from. */
export interface ReplicaInput {
  readonly model: string
  /** Replicas that may get the request, see `findEligible`. */
  readonly replicas: readonly Replica[]
  readonly scheduling: Pick<
    Scheduling,
    'routePolicy' | 'balanceAbsThreshold' | 'balanceRelThreshold' | 'minPrefixMatch'
  >
  /** Policy of models without one. */
  readonly defaultPolicy: 'least_loaded' | 'round_robin' | 'prefix_cache'
  /** Beginnings of the prompt; empty: the request has none. */
  readonly chain: PrefixChain
  readonly prefixes: PrefixView
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Running requests as this front end knows them. @default `inFlight` of the replica */
  readonly inFlightOf?: ((replica: Replica) => number) | undefined
  /** Bytes of free memory of a node. @default the same for all */
  readonly freeMemoryOf?: ((nodeId: string) => number) | undefined
  /** Number of the request, for `round_robin`. */
  readonly turn: number
}

/** The replica for a request, and why. */
export interface ReplicaChoice {
  readonly replica: Replica
  readonly reason: 'only' | 'prefix' | 'least_loaded' | 'round_robin'
  /** Share of the prompt that the replica has worked on lately, 0 to 1. */
  readonly prefixShare: number
}

interface Candidate {
  readonly replica: Replica
  readonly inFlight: number
  readonly recent: number
}

/** The least busy first; then by recent requests, the oldest use, the most free memory, and the place. */
function compareLoad(a: Candidate, b: Candidate, freeMemoryOf: (nodeId: string) => number): number {
  return (
    a.inFlight - b.inFlight ||
    a.recent - b.recent ||
    a.replica.usedAt - b.replica.usedAt ||
    freeMemoryOf(b.replica.nodeId) - freeMemoryOf(a.replica.nodeId) ||
    comparePlace(a.replica, b.replica)
  )
}

function comparePlace(a: Replica, b: Replica): number {
  if (a.nodeId !== b.nodeId) return a.nodeId < b.nodeId ? -1 : 1
  return a.replicaIndex - b.replicaIndex
}

function leastLoaded(candidates: readonly Candidate[], input: ReplicaInput): Candidate | undefined {
  const freeMemoryOf = input.freeMemoryOf ?? (() => 0)
  let best: Candidate | undefined
  for (const candidate of candidates) if (!best || compareLoad(candidate, best, freeMemoryOf) < 0) best = candidate
  return best
}

/** Candidates that are not much busier than the least busy one. */
function withinThresholds(candidates: readonly Candidate[], { scheduling }: ReplicaInput): readonly Candidate[] {
  const abs = scheduling.balanceAbsThreshold || DEFAULT_ABS_THRESHOLD
  const rel = scheduling.balanceRelThreshold || DEFAULT_REL_THRESHOLD
  const least = Math.min(...candidates.map(({ inFlight }) => inFlight))
  // One more, so that a single request at an idle model does not exclude a replica.
  const most = Math.min(least + abs, least * rel + 1)
  return candidates.filter(({ inFlight }) => inFlight <= most)
}

const isAt = ({ replica }: Candidate, key: ReplicaKey): boolean =>
  replica.nodeId === key.nodeId && replica.replicaIndex === key.replicaIndex

function chooseByPrefix(candidates: readonly Candidate[], input: ReplicaInput): ReplicaChoice | undefined {
  const { chain, now, prefixes, scheduling } = input
  const allowed = withinThresholds(candidates, input)
  const match = prefixes.find({
    chain,
    now,
    isAllowed: (key) => allowed.some((candidate) => isAt(candidate, key)),
  })
  if (match.share >= (scheduling.minPrefixMatch || DEFAULT_MIN_MATCH)) {
    const holders = allowed.filter((candidate) => match.replicas.some((key) => isAt(candidate, key)))
    const holder = leastLoaded(holders, input)
    if (holder) return { replica: holder.replica, reason: 'prefix', prefixShare: match.share }
  }
  return undefined
}

/**
 * Chooses the replica for a request: the one that has worked on the longest beginning of the prompt and is not much
 * busier than others, or the least busy one, or each in turn.
 *
 * @returns undefined when there are no replicas
 */
export function chooseReplica(input: ReplicaInput): ReplicaChoice | undefined {
  const { replicas } = input
  const [first] = replicas
  if (!first) return undefined
  if (replicas.length === 1) return { replica: first, reason: 'only', prefixShare: 0 }
  const policy = input.scheduling.routePolicy || input.defaultPolicy
  if (policy === 'round_robin') {
    const next = replicas.toSorted(comparePlace)[input.turn % replicas.length]
    return next && { replica: next, reason: 'round_robin', prefixShare: 0 }
  }
  const candidates = replicas.map((replica) => ({
    replica,
    inFlight: input.inFlightOf?.(replica) ?? replica.inFlight,
    recent: input.prefixes.recentRequests(input.model, replica, input.now),
  }))
  const byPrefix = policy === 'prefix_cache' && input.chain.length > 0 ? chooseByPrefix(candidates, input) : undefined
  if (byPrefix) return byPrefix
  const least = leastLoaded(candidates, input)
  return least && { replica: least.replica, reason: 'least_loaded', prefixShare: 0 }
}
