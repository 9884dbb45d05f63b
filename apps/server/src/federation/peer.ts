import type { Header } from '@svc/http-client'

/** A peer as the federation knows it. */
export interface Peer {
  readonly name: string
  readonly id: string
  /** The name in metrics; peers that choose their names themselves share one. */
  readonly label: string
  /** The address, without a slash at its end. */
  readonly url: string
  readonly passKey: boolean
  /** Headers with the key of this server at the peer; none without one. */
  readonly credential: readonly Header[]
  /** Whether its last check succeeded and no connection has failed since. */
  isHealthy: boolean
  /** The names of its models at its last good check. */
  models: ReadonlySet<string>
  /** Requests that it serves for this server at this moment. */
  running: number
  /** Wall time of its last good check, milliseconds; undefined before the first one. */
  lastSeenAt: number | undefined
}

/** What is known of a peer before its first check. */
export type PeerFacts = Pick<Peer, 'name' | 'id' | 'label' | 'url' | 'passKey' | 'credential'>

/** A new peer, which no check has found yet. */
export function createPeer(facts: PeerFacts): Peer {
  return { ...facts, isHealthy: false, models: new Set(), running: 0, lastSeenAt: undefined }
}

/** How one of several peers is chosen. */
export type PeerChoice = 'least-used' | 'random'

/**
 * Chooses a healthy peer that has a model and was not asked yet. Among peers that are used alike chance decides.
 *
 * @param random from 0 up to 1, without 1
 */
export function choosePeer(
  peers: readonly Peer[],
  {
    model,
    asked,
    choice,
    random = Math.random,
  }: {
    readonly model: string
    readonly asked: ReadonlySet<Peer>
    readonly choice: PeerChoice
    readonly random?: () => number
  },
): Peer | undefined {
  const able = peers.filter((peer) => peer.isHealthy && peer.models.has(model) && !asked.has(peer))
  const least = Math.min(...able.map(({ running }) => running))
  const best = choice === 'random' ? able : able.filter(({ running }) => running === least)
  return best[Math.floor(random() * best.length)]
}
