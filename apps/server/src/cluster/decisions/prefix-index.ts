import { matchShare, type PrefixChain } from './prefix-chain.ts'
import { createPrefixOwners, type PrefixOwner, type ReplicaKey } from './prefix-owners.ts'

/** What a choice of a replica asks of the index. */
export interface PrefixView {
  /** The replicas that hold the longest beginning of a prompt, among those that are allowed; none: an empty list. */
  find(query: PrefixQuery): PrefixMatch
  /** Requests that a replica got lately: each counts half after the half-life. At least 0. */
  recentRequests(model: string, replica: ReplicaKey, now: number): number
}

export interface PrefixQuery {
  readonly chain: PrefixChain
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly isAllowed: (replica: ReplicaKey) => boolean
}

export interface PrefixMatch {
  /** All with a match of this length. */
  readonly replicas: readonly ReplicaKey[]
  /** Share of the prompt, 0 to 1. */
  readonly share: number
}

/** Beginnings of prompts that replicas have worked on. Times are milliseconds since the epoch. */
export interface PrefixIndex extends PrefixView {
  /**
   * Notes that a replica works on a prompt.
   *
   * @returns whether others should hear of it: it is new, or was last noted a while ago
   */
  observe(
    model: string,
    observed: { readonly chain: PrefixChain; readonly replica: ReplicaKey; readonly now: number },
  ): boolean
  /** Forgets a replica of a model; a negative index: all on its node. */
  forget(model: string, replica: ReplicaKey): void
  /** Forgets all replicas of a node. */
  forgetNode(nodeId: string): void
  /** Pairs of a beginning and a replica that are held. */
  readonly size: number
}

export interface PrefixIndexOptions {
  /** A beginning is forgotten when it was not seen for this long, milliseconds. @default 300000 */
  readonly ttlMs?: number | undefined
  /** Milliseconds. @default 120000 */
  readonly halfLifeMs?: number | undefined
  /** Pairs of a beginning and a replica; about 100 bytes each. @default 400000 */
  readonly maxPairs?: number | undefined
}

/** A replica that has worked on a beginning; a list, as most beginnings have one or few. */
interface Seen {
  readonly owner: PrefixOwner
  at: number
  readonly next: Seen | undefined
}

function findSeen(first: Seen | undefined, owner: PrefixOwner): Seen | undefined {
  for (let seen = first; seen; seen = seen.next) if (seen.owner === owner) return seen
  return undefined
}

const NO_MATCH: PrefixMatch = { replicas: [], share: 0 }

/**
 * Creates an index. Hashes hold the name of their model, so one table serves all models. It has two generations: pairs
 * enter the young one, and the old one is dropped when the young one is full or older than the time to live.
 */
export function createPrefixIndex({
  ttlMs = 300_000,
  halfLifeMs = 120_000,
  maxPairs = 400_000,
}: PrefixIndexOptions = {}): PrefixIndex {
  const owners = createPrefixOwners(halfLifeMs)
  let young = new Map<number, Seen>()
  let old = new Map<number, Seen>()
  let youngSize = 0
  let oldSize = 0
  let rotatedAt = Number.NEGATIVE_INFINITY

  const rotate = (now: number): void => {
    old = young
    oldSize = youngSize
    young = new Map()
    youngSize = 0
    rotatedAt = now
    owners.removeSilent(now - 2 * ttlMs)
  }
  const note = (hash: number, owner: PrefixOwner, now: number): void => {
    const first = young.get(hash)
    const seen = findSeen(first, owner)
    if (seen) {
      seen.at = now
      return
    }
    young.set(hash, { owner, at: now, next: first })
    youngSize += 1
  }
  const lastSeen = (hash: number, owner: PrefixOwner): number =>
    (findSeen(young.get(hash), owner) ?? findSeen(old.get(hash), owner))?.at ?? Number.NEGATIVE_INFINITY
  const collect = (first: Seen | undefined, query: PrefixQuery, found: ReplicaKey[]): void => {
    for (let seen = first; seen; seen = seen.next) {
      const { owner, at } = seen
      if (owner.isForgotten || query.now - at > ttlMs || found.includes(owner.replica)) continue
      if (query.isAllowed(owner.replica)) found.push(owner.replica)
    }
  }

  return {
    get size() {
      return youngSize + oldSize
    },
    find(query) {
      const { chain } = query
      const found: ReplicaKey[] = []
      for (let index = chain.length - 1; index >= 0; index -= 1) {
        const hash = chain[index] ?? 0
        collect(young.get(hash), query, found)
        collect(old.get(hash), query, found)
        if (found.length > 0) return { replicas: found, share: matchShare(index + 1, chain.length) }
      }
      return NO_MATCH
    },
    recentRequests(model, replica, now) {
      const owner = owners.get(model, replica)
      return owner ? owners.recentRequests(owner, now) : 0
    },
    observe(model, { chain, replica, now }) {
      const owner = owners.count(model, replica, now)
      const last = chain.at(-1)
      const isNews = last !== undefined && now - lastSeen(last, owner) > ttlMs / 4
      for (const hash of chain) note(hash, owner, now)
      if (youngSize >= maxPairs / 2 || now - rotatedAt > ttlMs) rotate(now)
      return isNews
    },
    forget: owners.forget,
    forgetNode: owners.forgetNode,
  }
}
