import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import type { FurtherModels } from '../catalog/further-models.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { createBlankModel } from '../catalog/to-model-config.ts'
import type { Clock, Logger } from '../ports.ts'
import { checkPeer } from './check-peer.ts'
import { choosePeer, createPeer, type Peer, type PeerChoice, type PeerFacts } from './peer.ts'

/** The peers, their health and their models. */
export interface Federation {
  /** The models of the peers, those of a peer that has gone included, so that their requests get the right error. */
  readonly models: FurtherModels
  /** The peers in their order. */
  peers(): readonly Peer[]
  /** Chooses a peer for a model; undefined where no other healthy one has it. */
  choose(model: string, asked: ReadonlySet<Peer>): Peer | undefined
  /** Notes that a peer cannot be reached. Its next good check brings it back. */
  noteFailure(peer: Peer): void
  /** Adds a peer; its first check makes it usable. @returns a function that removes it */
  add(facts: PeerFacts): () => void
  /** Checks every peer now. Never rejects. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Options of {@link createFederation}. */
export interface FederationOptions {
  readonly choice: PeerChoice
  /** Milliseconds between two checks. */
  readonly intervalMs: number
  readonly upstream: Upstream
  readonly userAgent: string
  readonly clock: Clock
  readonly logger: Logger
}

const MIN_INTERVAL_MS = 100

/** Creates a federation without peers. Its checks run until it is closed. */
export function createFederation(options: FederationOptions): Federation {
  const { choice, intervalMs, upstream, userAgent, clock, logger } = options
  const closing = new AbortController()
  const { signal } = closing
  const peers = new Set<Peer>()
  const shown = new Map<string, ModelConfig>()

  async function look(peer: Peer): Promise<void> {
    try {
      peer.models = await checkPeer(peer, { upstream, userAgent, signal })
      if (!peer.isHealthy)
        logger.info({ peer: peer.name, models: peer.models.size }, 'a peer of the federation is there')
      peer.isHealthy = true
      peer.lastSeenAt = clock.now()
    } catch (error) {
      if (signal.aborted) return
      const { code } = SvcError.is(error) ? error : { code: 'unknown' }
      if (peer.isHealthy || peer.lastSeenAt === undefined)
        logger.warn({ peer: peer.name, code }, 'a peer of the federation is not usable')
      peer.isHealthy = false
    }
  }

  const check = async (): Promise<void> => void (await Promise.all([...peers].map(look)))

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(Math.max(intervalMs, MIN_INTERVAL_MS), { signal })
      await check()
    }
  }
  const running = run().catch((error: unknown) => {
    if (!signal.aborted) logger.error({ err: error }, 'the checks of the federation have ended')
  })

  const isKnown = (name: string): boolean => [...peers].some(({ models }) => models.has(name))
  const toModel = (name: string): ModelConfig => {
    const known = shown.get(name)
    if (known !== undefined) return known
    if (shown.size >= MAX_SHOWN) shown.clear()
    const model = createPeerModel(name)
    shown.set(name, model)
    return model
  }

  function listModels(): ModelConfig[] {
    const names = new Set<string>()
    for (const { models } of peers) {
      for (const name of models) if (names.size < MAX_SHOWN) names.add(name)
    }
    return [...names].map(toModel)
  }

  return {
    models: {
      find: (name) => (isKnown(name) ? toModel(name) : undefined),
      list: listModels,
      explainMissing: () => (peers.size > 0 && ![...peers].some(({ isHealthy }) => isHealthy) ? noPeer() : undefined),
    },
    peers: () => [...peers],
    choose: (model, asked) => choosePeer([...peers], { model, asked, choice }),
    noteFailure(peer) {
      if (peer.isHealthy) logger.warn({ peer: peer.name }, 'a peer of the federation cannot be reached')
      peer.isHealthy = false
    },
    add(facts) {
      const peer = createPeer(facts)
      peers.add(peer)
      return () => void peers.delete(peer)
    },
    check,
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Most models of all peers that are listed, and kept as objects. */
const MAX_SHOWN = 10_000

/** The error of a request that no healthy peer can serve. */
export function noPeer(model?: string): SvcError {
  const what = model === undefined ? 'no peer of the federation is healthy' : `no healthy peer serves model "${model}"`
  return new SvcError('unavailable', `${what}; retry shortly`, { code: 'no_healthy_peer', retryAfterMs: 5000 })
}

let blank: ModelConfig | undefined

/** Models of peers differ in their names alone. */
function createPeerModel(name: string): ModelConfig {
  blank ??= {
    ...createBlankModel({ name: '', source: 'peer', place: { file: '', folder: '', modifiedAt: 0 } }),
    serving: { kind: 'federated' },
  }
  return { ...blank, name }
}
