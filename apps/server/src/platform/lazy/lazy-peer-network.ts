import { join } from 'node:path'
import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { TunnelledClients } from '../../http/tunnelled-clients.ts'
import type { Network } from '../../p2p/network.ts'
import type { FoundService, ServicePlace } from '../../p2p/options.ts'
import { findOwnPlace } from '../../p2p/own-place.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Settings } from '../../settings/settings.ts'
import type { LazyFederation } from './lazy-federation.ts'

/** The peer-to-peer network of a server. Its code is loaded when the server joins one. */
export interface LazyPeerNetwork {
  /** The network; undefined while the server is in none. */
  opened(): Network | undefined
  /**
   * Joins the network that the settings name, and leaves the one before it.
   *
   * @throws {SvcError} `p2p_missing`, `invalid_p2p_token`
   */
  join(): Promise<void>
  /** Workers of llama.cpp at local ports, as `host:port` with commas between; undefined without any. */
  rpcServers(): string | undefined
  close(): Promise<void>
}

/** Options of {@link createLazyPeerNetwork}. */
export interface LazyPeerNetworkParts {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'get'>
  readonly federation: Pick<LazyFederation, 'opened'>
  /** The port of this server; undefined before it listens. */
  readonly ownPort: () => number | undefined
  /** Whether callers need a key or an account. The API is offered to members only while they do. */
  readonly isAuthConfigured: () => boolean
  /** Where clients that are members are noted. */
  readonly tunnels: Pick<TunnelledClients, 'note'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Makes the network of a server that is in none. */
export function createLazyPeerNetwork(parts: LazyPeerNetworkParts): LazyPeerNetwork {
  const { config, settings, federation, ownPort, isAuthConfigured, tunnels, clock, logger } = parts
  const workers = new Map<string, string>()
  let current: Network | undefined
  const runInTurn = createSerialQueue()

  function take(service: FoundService): () => void {
    const { kind, id, name, address } = service
    if (kind === 'worker') {
      workers.set(id, address)
      return () => void workers.delete(id)
    }
    const peers = federation.opened()
    if (peers === undefined) return () => undefined
    const key = config.p2pApiKey
    return peers.add({
      name,
      id,
      label: 'p2p',
      url: `http://${address}`,
      passKey: false,
      credential: key === '' ? [] : [['authorization', `Bearer ${key}`]],
    })
  }

  const findOffer = (): ServicePlace | undefined =>
    isAuthConfigured() ? findOwnPlace(config.address.host, ownPort()) : undefined

  async function leave(): Promise<void> {
    const ending = current
    current = undefined
    await ending?.close()
  }

  async function join_(): Promise<void> {
    const [{ openNetwork }, { readNetworkOptions }, { readOwnToken }] = await Promise.all([
      import('../../p2p/network.ts'),
      import('../../p2p/options.ts'),
      import('../../p2p/own-token.ts'),
    ])
    // A token that cannot be read leaves the network as it is.
    const token = await readOwnToken(settings.get('p2p_token'), join(config.dataPath, 'p2p-key'))
    await leave()
    const isFederated = federation.opened() !== undefined
    if (isFederated && !isAuthConfigured())
      logger.warn({}, 'the API is not offered to the peer-to-peer network: neither keys nor accounts are in use')
    current = await openNetwork({
      token,
      networkId: settings.get('p2p_network_id'),
      ...readNetworkOptions(config),
      offers: isFederated ? { federated: findOffer } : {},
      onServe: (socket, address) => tunnels.note(socket, `p2p/${address}`),
      wants: isFederated ? ['federated', 'worker'] : ['worker'],
      onService: take,
      clock,
      logger,
    })
  }
  return {
    opened: () => current,
    join: () => runInTurn(join_),
    rpcServers: () => (workers.size === 0 ? undefined : [...workers.values()].join(',')),
    close: () => runInTurn(leave),
  }
}
