import type { ClusterNode, Replica } from '../contract/nodes.ts'
import type { PlacementInput } from './placement-types.ts'

/** The replicas that have to go before a model fits on a node. */
export type EvictionPlan =
  | { readonly kind: 'evict'; readonly victims: readonly Replica[] }
  /** It fits once running requests and loads have ended. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'impossible' }

/** Why replicas have to go. */
export interface EvictionNeed {
  readonly node: ClusterNode
  /** Replicas on the node that share a concurrency group with the model. */
  readonly conflicts: readonly Replica[]
  /** Bytes of memory beyond those that are free. */
  readonly missingBytes: number
}

const NOTHING: EvictionPlan = { kind: 'evict', victims: [] }

function isIdle(replica: Replica): boolean {
  return replica.inFlight === 0 && (replica.state === 'loaded' || replica.state === 'idle')
}

/** Replicas of a model that stay: those that are not on their way out. */
function countStaying(replicas: ReadonlyMap<string, Replica>): number {
  let count = 0
  for (const { state } of replicas.values()) if (state !== 'unloading') count += 1
  return count
}

/** Replicas of a model beyond its least number. */
function countSpare({ view, minReplicasOf }: PlacementInput, model: string): number {
  if (!minReplicasOf) return Number.POSITIVE_INFINITY
  return countStaying(view.ofModel(model)) - minReplicasOf(model)
}

/** Keeps as many replicas of each model as its rules ask for. */
function createGuard(input: PlacementInput): (replica: Replica) => boolean {
  const left = new Map<string, number>()
  return ({ model }) => {
    const spare = left.get(model) ?? countSpare(input, model)
    left.set(model, spare - 1)
    return spare > 0
  }
}

/**
 * Whether replicas that were last used before a time could free enough memory. It asks less than a plan, so that most
 * nodes need none.
 */
export function canFreeBefore(
  input: PlacementInput,
  { nodeId, missingBytes, before }: { readonly nodeId: string; readonly missingBytes: number; readonly before: number },
): boolean {
  const { needs, view } = input
  let missing = missingBytes
  for (const replica of view.onNode(nodeId).values()) {
    if (missing <= 0) return true
    const isVictim = replica.usedAt <= before && replica.model !== needs.model && isIdle(replica)
    if (isVictim && countSpare(input, replica.model) > 0) missing -= replica.sizeVram ?? needs.memoryBytes ?? 0
  }
  return missing <= 0
}

/** Leaves out victims that the model fits without, the most recently used first. */
function withoutSurplus(
  victims: readonly Replica[],
  { conflicts, missingBytes }: EvictionNeed,
  sizeOf: (replica: Replica) => number,
): readonly Replica[] {
  let surplus = victims.reduce((sum, replica) => sum + sizeOf(replica), -missingBytes)
  return victims
    .toReversed()
    .filter((replica) => {
      const size = sizeOf(replica)
      if (conflicts.includes(replica) || size > surplus) return true
      surplus -= size
      return false
    })
    .toReversed()
}

/** Takes candidates in their order until the need is met. @returns undefined when they do not suffice */
function take(
  candidates: readonly Replica[],
  { conflicts, missingBytes }: EvictionNeed,
  sizeOf: (replica: Replica) => number,
): readonly Replica[] | undefined {
  const taken: Replica[] = []
  let freed = 0
  let conflictsLeft = conflicts.length
  for (const replica of candidates) {
    if (conflictsLeft === 0 && freed >= missingBytes) break
    taken.push(replica)
    freed += sizeOf(replica)
    if (conflicts.includes(replica)) conflictsLeft -= 1
  }
  return conflictsLeft === 0 && freed >= missingBytes ? taken : undefined
}

/**
 * Plans evictions: the replicas that share a concurrency group, then the least recently used ones until enough memory
 * is free. A replica of the same model, with a running request, or at the least number of its model stays. A replica of
 * unknown size is taken to be as large as the model that needs its place.
 */
export function planEvictions(input: PlacementInput, need: EvictionNeed): EvictionPlan {
  const { conflicts, missingBytes, node } = need
  if (conflicts.length === 0 && missingBytes <= 0) return NOTHING
  const sizeOf = (replica: Replica): number => replica.sizeVram ?? input.needs.memoryBytes ?? 0
  // Conflicts come first, so that the least numbers are spent on them.
  const others = [...input.view.onNode(node.id).values()]
    .filter(({ model }) => model !== input.needs.model)
    .sort(
      (a, b) =>
        Number(conflicts.includes(b)) - Number(conflicts.includes(a)) || a.usedAt - b.usedAt || (a.id < b.id ? -1 : 1),
    )
  const victims = take(others.filter(isIdle).filter(createGuard(input)), need, sizeOf)
  if (victims) return { kind: 'evict', victims: withoutSurplus(victims, need, sizeOf) }
  return take(others.filter(createGuard(input)), need, sizeOf) ? { kind: 'busy' } : { kind: 'impossible' }
}
