/** What decides whether a load has room, and who makes it. */
export interface EvictionPolicy {
  /** Models in memory at a time; 0 = no limit. */
  readonly maxActive: number
  /** Whether a model may be stopped while it works. */
  readonly forceWhenBusy: boolean
  /** The largest first, in place of the least recently used. */
  readonly largestFirst: boolean
  /** How long a load waits for busy models, in milliseconds. */
  readonly patienceMs: number
  /** Pause between two looks while it waits, in milliseconds. */
  readonly retryIntervalMs: number
}

/** A model that holds a place in memory. */
export interface Occupant {
  readonly name: string
  readonly groups: readonly string[]
  readonly isPinned: boolean
  readonly isBusy: boolean
  /** Whether it is on its way out, at once or, while it is busy, after its last call. */
  readonly isLeaving: boolean
  /** Whether it leaves for a load that has been admitted, which counts in its place. */
  readonly isReplaced: boolean
  /** When it was last used; only the order counts. */
  readonly usedAt: number
  /** Bytes; asked for only with {@link EvictionPolicy.largestFirst}. */
  readonly sizeBytes: number
}

/** A model that wants a place. */
export interface Newcomer {
  readonly name: string
  readonly groups: readonly string[]
}

/** Who leaves, or what stands in the way: `pinned` does not pass by waiting. */
export type EvictionPlan<T extends Occupant = Occupant> =
  | { readonly isPossible: true; readonly evict: readonly T[] }
  | { readonly isPossible: false; readonly reason: 'group' | 'limit'; readonly isPinned: boolean }

/**
 * Who has to leave before a model is loaded: first everyone who shares a concurrency group with it, then as many as
 * the limit asks for, idle ones before busy ones, the least recently used first.
 *
 * @param situation.admitted loads that have a place already and are under way
 */
export function planEviction<T extends Occupant>(situation: {
  readonly newcomer: Newcomer
  readonly occupants: readonly T[]
  readonly admitted: readonly Newcomer[]
  readonly policy: EvictionPolicy
}): EvictionPlan<T> {
  const { newcomer, occupants, admitted, policy } = situation
  const mayLeave = (occupant: T) =>
    !occupant.isPinned && !occupant.isLeaving && (policy.forceWhenBusy || !occupant.isBusy)
  const excludes = ({ name, groups }: Newcomer) =>
    name !== newcomer.name && groups.some((group) => newcomer.groups.includes(group))

  const conflicts = occupants.filter(excludes)
  const isHeld = conflicts.some((occupant) => occupant.isPinned && !occupant.isLeaving)
  if (isHeld || !conflicts.every(mayLeave) || admitted.some(excludes)) {
    return { isPossible: false, reason: 'group', isPinned: isHeld }
  }
  const rest = occupants.filter((occupant) => !occupant.isReplaced && !conflicts.includes(occupant))
  const missing = policy.maxActive > 0 ? rest.length + admitted.length + 1 - policy.maxActive : 0
  const victims = rest.filter(mayLeave).sort(inOrderOf(policy))
  // A place that is about to be free is worth waiting for.
  const isAboutToGetFree = rest.some((occupant) => occupant.isLeaving && !occupant.isBusy)
  if (missing > 0 && (isAboutToGetFree || victims.length < missing)) {
    const staying = rest.filter((occupant) => occupant.isPinned && !occupant.isLeaving)
    return { isPossible: false, reason: 'limit', isPinned: staying.length >= policy.maxActive }
  }
  return { isPossible: true, evict: [...conflicts, ...victims.slice(0, Math.max(0, missing))] }
}

function inOrderOf({ largestFirst }: EvictionPolicy): (left: Occupant, right: Occupant) => number {
  return (left, right) =>
    Number(left.isBusy) - Number(right.isBusy) ||
    (largestFirst ? right.sizeBytes - left.sizeBytes : 0) ||
    left.usedAt - right.usedAt
}
