/** A replica as prefix caches know it: each process has a cache of its own. */
export interface ReplicaKey {
  readonly nodeId: string
  readonly replicaIndex: number
}

/** A replica of a model. When it is forgotten, what it has worked on counts no more. */
export interface PrefixOwner {
  readonly replica: ReplicaKey
  isForgotten: boolean
  requests: number
  requestAt: number
}

/** The replicas that an index knows. */
export interface PrefixOwners {
  get(model: string, replica: ReplicaKey): PrefixOwner | undefined
  /** The replica, with one more request. */
  count(model: string, replica: ReplicaKey, now: number): PrefixOwner
  recentRequests(owner: PrefixOwner, now: number): number
  /** Forgets a replica; a negative index: all of the model on its node. */
  forget(model: string, replica: ReplicaKey): void
  forgetNode(nodeId: string): void
  /** Removes replicas without a request since then. */
  removeSilent(since: number): void
}

const toKey = ({ nodeId, replicaIndex }: ReplicaKey): string => `${replicaIndex} ${nodeId}`

function forgetOne(group: Map<string, PrefixOwner>, key: string): void {
  const owner = group.get(key)
  if (owner) owner.isForgotten = true
  group.delete(key)
}

function forgetOfNode(group: Map<string, PrefixOwner>, nodeId: string): void {
  for (const [key, owner] of group) if (owner.replica.nodeId === nodeId) forgetOne(group, key)
}

/** Creates a table of replicas whose requests count half after each half-life, milliseconds. */
export function createPrefixOwners(halfLifeMs: number): PrefixOwners {
  const groups = new Map<string, Map<string, PrefixOwner>>()
  const removeEmpty = (model: string): void => {
    if (groups.get(model)?.size === 0) groups.delete(model)
  }
  const recentRequests = (owner: PrefixOwner, now: number): number =>
    owner.requests * 2 ** (-Math.max(0, now - owner.requestAt) / halfLifeMs)

  return {
    get: (model, replica) => groups.get(model)?.get(toKey(replica)),
    count(model, replica, now) {
      const group = groups.get(model) ?? new Map<string, PrefixOwner>()
      if (group.size === 0) groups.set(model, group)
      const key = toKey(replica)
      const { nodeId, replicaIndex } = replica
      const owner = group.get(key) ?? {
        replica: { nodeId, replicaIndex },
        isForgotten: false,
        requests: 0,
        requestAt: now,
      }
      owner.requests = recentRequests(owner, now) + 1
      owner.requestAt = Math.max(owner.requestAt, now)
      group.set(key, owner)
      return owner
    },
    recentRequests,
    forget(model, replica) {
      const group = groups.get(model)
      if (!group) return
      if (replica.replicaIndex < 0) forgetOfNode(group, replica.nodeId)
      else forgetOne(group, toKey(replica))
      removeEmpty(model)
    },
    forgetNode(nodeId) {
      for (const [model, group] of groups) {
        forgetOfNode(group, nodeId)
        removeEmpty(model)
      }
    },
    removeSilent(since) {
      for (const [model, group] of groups) {
        for (const [key, owner] of group) if (owner.requestAt < since) group.delete(key)
        removeEmpty(model)
      }
    },
  }
}
