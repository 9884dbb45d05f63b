import { isIPv6 } from 'node:net'
import type { Libp2p } from 'libp2p'
import { loadMulticast, loadPeerLibrary, type PeerLibrary } from './library.ts'
import type { NetworkOptions } from './options.ts'
import type { PeerStream } from './pump.ts'
import { derivePassword, deriveServiceName } from './token.ts'

type Connection = ReturnType<Libp2p['getConnections']>[number]
type PeerId = Libp2p['peerId']

/** The member that has opened a stream. */
export interface Caller {
  readonly id: string
  /** Its network address, or that of its router. */
  readonly address: string
}

/** The connections of this member. */
export interface PeerNode {
  readonly id: string
  /** The addresses of this member, with its id. */
  addresses(): readonly string[]
  /** The ids of the connected members. */
  connected(): readonly string[]
  /** Connects to an address. Never rejects. @returns whether it did */
  join(address: string, options: { readonly signal: AbortSignal }): Promise<boolean>
  /** Opens a stream to a connected member. */
  dial(id: string, protocol: string, options: { readonly signal: AbortSignal }): Promise<PeerStream>
  /** Serves the streams of a protocol. @param options the most streams of one connection */
  handle(
    protocol: string,
    serve: (stream: PeerStream, from: Caller) => void | Promise<void>,
    options: { readonly maxInboundStreams: number; readonly maxOutboundStreams: number },
  ): Promise<void>
  onConnect(listener: (id: string) => void): void
  close(): Promise<void>
}

type NodeOptions = Pick<NetworkOptions, 'token' | 'networkId' | 'listen' | 'mdns' | 'passwordMs' | 'clock' | 'logger'>

/** Most connections, and most new ones that one address may begin in a second. */
const MAX_CONNECTIONS = 128
const MAX_NEW_PER_SECOND = 20
/** Most connections of a member, which are two where both begin one, and of an address. */
const MAX_OF_MEMBER = 2
const MAX_OF_ADDRESS = 64
/** Most streams of a connection each way. */
const MAX_STREAMS = 300

/** Most bytes of a stream that wait here for a slow reader. A stream fails at 4 MiB. */
const MAX_WINDOW_BYTES = 1024 * 1024

/** Opens a node that only talks to nodes of the same token and network id. */
export async function openNode(options: NodeOptions): Promise<PeerNode> {
  const { token, networkId, listen, mdns, logger } = options
  const library = await loadPeerLibrary()
  const discovery = mdns
    ? [(await loadMulticast())({ serviceTag: deriveServiceName({ key: token.key, networkId }) })]
    : []
  const node = await library.createLibp2p({
    addresses: { listen: listAddresses(listen) },
    transports: [library.tcp({ maxConnections: MAX_CONNECTIONS })],
    connectionEncrypters: [library.noise()],
    streamMuxers: [
      library.yamux({
        maxInboundStreams: MAX_STREAMS,
        maxOutboundStreams: MAX_STREAMS,
        streamOptions: { maxStreamWindowSize: MAX_WINDOW_BYTES },
      }),
    ],
    connectionProtector: createProtector(library, options),
    connectionManager: {
      maxConnections: MAX_CONNECTIONS,
      inboundConnectionThreshold: MAX_NEW_PER_SECOND,
      maxIncomingPendingConnections: MAX_NEW_PER_SECOND,
      inboundUpgradeTimeout: 5000,
    },
    services: { identify: library.identify() },
    peerDiscovery: discovery,
  })
  node.addEventListener('peer:discovery', ({ detail }) => {
    node.dial(detail.id, { signal: AbortSignal.timeout(5000) }).catch((error: unknown) => {
      logger.debug({ peer: detail.id.toString(), err: error }, 'a member could not be reached')
      forget(node, detail.id)
    })
  })
  node.addEventListener('connection:open', ({ detail }) => limitConnections(node, detail))
  node.addEventListener('peer:disconnect', ({ detail }) => forget(node, detail))
  return toPeerNode(node, library, logger)
}

/** Closes a connection that is one too many. */
function limitConnections(node: Libp2p, connection: Connection): void {
  const others = node.getConnections().filter(({ id }) => id !== connection.id)
  const ofMember = others.filter(({ remotePeer }) => remotePeer.equals(connection.remotePeer))
  const address = readHost(connection)
  const ofAddress = others.filter((other) => readHost(other) === address)
  if (ofMember.length >= MAX_OF_MEMBER || ofAddress.length >= MAX_OF_ADDRESS)
    connection.abort(new Error('too many connections of a member or an address'))
}

/** The network address at the other end of a connection. */
function readHost({ remoteAddr }: Pick<Connection, 'remoteAddr'>): string {
  return remoteAddr.toString().split('/')[2] ?? ''
}

/** Drops what the node keeps of a member that is away: a member can have any number of identities, one after another. */
function forget(node: Libp2p, id: PeerId): void {
  Promise.resolve(node.peerStore.delete(id)).catch(() => undefined)
}

/** Protects each connection with the password of the moment at which it begins. */
function createProtector(library: PeerLibrary, { token, networkId, passwordMs, clock }: NodeOptions) {
  let period = -1
  let current: ReturnType<ReturnType<PeerLibrary['preSharedKey']>> | undefined
  const find = () => {
    const now = Math.floor(clock.now() / passwordMs)
    if (current === undefined || now !== period) {
      period = now
      current = library.preSharedKey({ psk: derivePassword({ key: token.key, networkId, period }) })()
    }
    return current
  }
  return () => ({
    protect: (...parts: Parameters<ReturnType<typeof find>['protect']>) => find().protect(...parts),
  })
}

function listAddresses({ host, port }: NodeOptions['listen']): string[] {
  if (host === undefined) return [`/ip4/0.0.0.0/tcp/${port}`]
  return [`/${isIPv6(host) ? 'ip6' : 'ip4'}/${host}/tcp/${port}`]
}

function toPeerNode(node: Libp2p, { multiaddr }: PeerLibrary, logger: NodeOptions['logger']): PeerNode {
  const findPeer = (id: string) => node.getPeers().find((peer) => peer.toString() === id)
  return {
    id: node.peerId.toString(),
    addresses: () => node.getMultiaddrs().map(String),
    connected: () => node.getPeers().map(String),
    async join(address, { signal }) {
      try {
        await node.dial(multiaddr(address), { signal })
        return true
      } catch (error) {
        logger.debug({ address, err: error }, 'a member could not be reached')
        return false
      }
    },
    async dial(id, protocol, { signal }) {
      const peer = findPeer(id)
      if (peer === undefined) throw new Error('the member is not connected')
      return node.dialProtocol(peer, protocol, { signal, maxOutboundStreams: MAX_STREAMS })
    },
    handle: (protocol, serve, options) =>
      node.handle(
        protocol,
        (stream, connection) => serve(stream, { id: connection.remotePeer.toString(), address: readHost(connection) }),
        options,
      ),
    onConnect(listener) {
      node.addEventListener('peer:connect', ({ detail }) => listener(detail.toString()))
    },
    close: async () => void (await node.stop()),
  }
}
