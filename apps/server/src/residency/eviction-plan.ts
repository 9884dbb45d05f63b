/** Settings that decide whether a load has a place, and which models leave for it. */
export interface EvictionPolicy {
  /** Maximum number of models in memory; 0 = no limit. */
  readonly maxActive: number
  /** Whether a busy model may be stopped. */
  readonly forceWhenBusy: boolean
  /** Whether the largest model leaves first, in place of the least recently used. */
  readonly largestFirst: boolean
  /** Maximum time that a load waits for busy models, in milliseconds. */
  readonly patienceMs: number
  /** Pause between two attempts of a waiting load, in milliseconds. */
  readonly retryIntervalMs: number
}

/** A loaded model that holds a place in memory. */
export interface PlannedModel {
  readonly name: string
  readonly groups: readonly string[]
  readonly isPinned: boolean
  readonly isBusy: boolean
  /** Whether it leaves now, or after its last call. */
  readonly isLeaving: boolean
  /** Whether it leaves for an admitted load, which counts in its place. */
  readonly isReplaced: boolean
  /** Time of its last use; only the order matters. */
  readonly usedAt: number
  /** Bytes; read only with {@link EvictionPolicy.largestFirst}. */
  readonly sizeBytes: number
}

/** A load that waits for a place. */
export interface WaitingLoad {
  readonly name: string
  readonly groups: readonly string[]
}

/** The models to evict, or the reason why no room can be made. `isPinned`: waiting does not help. */
export type EvictionPlan<T extends PlannedModel = PlannedModel> =
  | { readonly isPossible: true; readonly evict: readonly T[] }
  | { readonly isPossible: false; readonly reason: 'group' | 'limit'; readonly isPinned: boolean }

/**
 * Plans which models leave before a load: first all that share a concurrency group with it, then as many as the limit
 * requires; idle ones before busy ones, the least recently used first.
 *
 * @param situation.admitted running loads that have a place already
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
  const victims = rest.filter(mayLeave).sort(compareForEviction(policy))
  // Wait for a place that is about to be free.
  const isAboutToGetFree = rest.some((loadedModel) => loadedModel.isLeaving && !loadedModel.isBusy)
  if (missing > 0 && (isAboutToGetFree || victims.length < missing)) {
    const staying = rest.filter((loadedModel) => loadedModel.isPinned && !loadedModel.isLeaving)
    return { isPossible: false, reason: 'limit', isPinned: staying.length >= policy.maxActive }
  }
  return { isPossible: true, evict: [...conflicts, ...victims.slice(0, Math.max(0, missing))] }
}

function compareForEviction({ largestFirst }: EvictionPolicy): (left: PlannedModel, right: PlannedModel) => number {
  return (left, right) =>
    Number(left.isBusy) - Number(right.isBusy) ||
    (largestFirst ? right.sizeBytes - left.sizeBytes : 0) ||
    left.usedAt - right.usedAt
}
