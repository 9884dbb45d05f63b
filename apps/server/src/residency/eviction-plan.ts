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
export interface PlannedModel {
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
export interface WaitingLoad {
  readonly name: string
  readonly groups: readonly string[]
}

/** Who leaves, or what stands in the way: `pinned` does not pass by waiting. */
export type EvictionPlan<T extends PlannedModel = PlannedModel> =
  | { readonly isPossible: true; readonly evict: readonly T[] }
  | { readonly isPossible: false; readonly reason: 'group' | 'limit'; readonly isPinned: boolean }

/**
 * Who has to leave before a model is loaded: first everyone who shares a concurrency group with it, then as many as
 * the limit asks for, idle ones before busy ones, the least recently used first.
 *
 * @param situation.admitted loads that have a place already and are under way
 */
export function planEviction<T extends PlannedModel>(situation: {
  readonly waitingLoad: WaitingLoad
  readonly loadedModels: readonly T[]
  readonly admitted: readonly WaitingLoad[]
  readonly policy: EvictionPolicy
}): EvictionPlan<T> {
  const { waitingLoad, loadedModels, admitted, policy } = situation
  const mayLeave = (loadedModel: T) =>
    !loadedModel.isPinned && !loadedModel.isLeaving && (policy.forceWhenBusy || !loadedModel.isBusy)
  const excludes = ({ name, groups }: WaitingLoad) =>
    name !== waitingLoad.name && groups.some((group) => waitingLoad.groups.includes(group))

  const conflicts = loadedModels.filter(excludes)
  const isHeld = conflicts.some((loadedModel) => loadedModel.isPinned && !loadedModel.isLeaving)
  if (isHeld || !conflicts.every(mayLeave) || admitted.some(excludes)) {
    return { isPossible: false, reason: 'group', isPinned: isHeld }
  }
  const rest = loadedModels.filter((loadedModel) => !loadedModel.isReplaced && !conflicts.includes(loadedModel))
  const missing = policy.maxActive > 0 ? rest.length + admitted.length + 1 - policy.maxActive : 0
  const victims = rest.filter(mayLeave).sort(inOrderOf(policy))
  // A place that is about to be free is worth waiting for.
  const isAboutToGetFree = rest.some((loadedModel) => loadedModel.isLeaving && !loadedModel.isBusy)
  if (missing > 0 && (isAboutToGetFree || victims.length < missing)) {
    const staying = rest.filter((loadedModel) => loadedModel.isPinned && !loadedModel.isLeaving)
    return { isPossible: false, reason: 'limit', isPinned: staying.length >= policy.maxActive }
  }
  return { isPossible: true, evict: [...conflicts, ...victims.slice(0, Math.max(0, missing))] }
}

function inOrderOf({ largestFirst }: EvictionPolicy): (left: PlannedModel, right: PlannedModel) => number {
  return (left, right) =>
    Number(left.isBusy) - Number(right.isBusy) ||
    (largestFirst ? right.sizeBytes - left.sizeBytes : 0) ||
    left.usedAt - right.usedAt
}
