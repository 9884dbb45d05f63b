import type { PushUpstream } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import type { FurtherModels } from '../../catalog/further-models.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Federation } from '../../federation/federation.ts'
import type { Peer } from '../../federation/peer.ts'
import type { CheckUpstream } from '../../inference/serving/upstream/own-address.ts'
import type { RelayUpstream } from '../../inference/serving/upstream/relay.ts'
import type { ServerSeries } from '../../monitoring/server-series.ts'
import type { Clock, Logger } from '../../ports.ts'
import { OPAQUE_ERROR } from '../../public-error.ts'

/** The federation of a server. Its code is loaded when it is turned on. */
export interface LazyFederation {
  /** The models of the peers; none while the federation is off. */
  readonly models: FurtherModels
  readonly relay: RelayUpstream
  /** The federation; undefined while it is off. */
  opened(): Federation | undefined
  /**
   * Turns the federation on, with its first checks done, or off.
   *
   * @throws {SvcError} `invalid_request` for a key that cannot be read
   */
  follow(isOn: boolean): Promise<void>
  close(): Promise<void>
}

/** Options of {@link createLazyFederation}. */
export interface LazyFederationParts {
  readonly config: Pick<
    ServerConfig,
    'federatedPeers' | 'federatedChoice' | 'federatedCheckIntervalMs' | 'opaqueErrors'
  >
  readonly upstream: PushUpstream
  readonly secrets: SecretReader
  readonly checkUpstream: CheckUpstream
  readonly userAgent: string
  readonly series: Pick<ServerSeries, 'countPeerRequest' | 'showLabelled'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Makes a federation that is off. */
export function createLazyFederation(parts: LazyFederationParts): LazyFederation {
  const { config, upstream, userAgent, series } = parts
  let current: Federation | undefined
  const runInTurn = createSerialQueue()
  const relay = createLazy(async () => {
    const { createPeerRelay } = await import('../../federation/relay-to-peer.ts')
    const opaque = config.opaqueErrors ? OPAQUE_ERROR : undefined
    return createPeerRelay({ federation: () => current, upstream, userAgent, series, opaque })
  })

  series.showLabelled([
    {
      name: 'svc_peers_healthy',
      help: 'Healthy peers by name; those of the peer-to-peer network together.',
      labelNames: ['peer'],
      read: async () =>
        Array.from(countHealthy(current?.peers() ?? []), ([peer, value]) => ({ labels: [peer], value })),
    },
  ])

  async function change(isOn: boolean): Promise<void> {
    if (isOn === (current !== undefined)) return
    if (isOn) {
      const { openFederation } = await import('../../federation/open-federation.ts')
      current = await openFederation(parts)
      await current.check()
    } else {
      const ending = current
      current = undefined
      await ending?.close()
    }
  }
  const follow = (isOn: boolean): Promise<void> => runInTurn(() => change(isOn))
  return {
    models: {
      find: (name) => current?.models.find(name),
      list: () => current?.models.list() ?? [],
      explainMissing: () => current?.models.explainMissing?.(),
    },
    relay: async (asked, outgoing, traceparent) => (await relay.open())(asked, outgoing, traceparent),
    opened: () => current,
    follow,
    close: () => follow(false),
  }
}

function countHealthy(peers: readonly Peer[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { label, isHealthy } of peers) counts.set(label, (counts.get(label) ?? 0) + (isHealthy ? 1 : 0))
  return counts
}
