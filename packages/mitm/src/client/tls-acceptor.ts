import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { Authority } from '../certificates/authority.ts'
import type { KeyedCertificate } from '../certificates/certificate.ts'
import { LruCache } from '../limits/lru-cache.ts'

/** Begins TLS as the server of any host. */
export interface TlsAcceptor {
  /** A handshake that fails closes the socket. */
  accept(socket: Socket, host: string, listener: HandshakeListener): void
}

/** Learns of the end of a handshake. */
export interface HandshakeListener {
  secure(tls: TLSSocket): void
  /** The time limit has passed. */
  timeout(): void
}

/** Most hosts whose TLS servers are kept. */
const MAX_SERVERS = 1000

/**
 * Creates the acceptor. Each host has a TLS server that does not listen: its certificate is known without a server name
 * in the handshake, and sessions resume.
 */
export function createTlsAcceptor(authority: Authority, handshakeMs: number): TlsAcceptor {
  const servers = new LruCache<{ readonly leaf: KeyedCertificate; readonly server: Server }>(MAX_SERVERS)
  const waiting = new Map<string, HandshakeListener>()

  function findServer(host: string): Server {
    const leaf = authority.issueLeaf(host)
    const known = servers.get(host)
    if (known?.leaf === leaf) return known.server
    const server = createServer({
      cert: leaf.certificate,
      key: leaf.key,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: handshakeMs,
    })
    server.on('secureConnection', (tls) => {
      const listener = waiting.get(nameConnection(tls))
      if (listener === undefined) tls.destroy()
      else listener.secure(tls)
    })
    server.on('tlsClientError', (error, tls) => {
      if ('code' in error && error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') waiting.get(nameConnection(tls))?.timeout()
      tls.destroy()
    })
    servers.set(host, { leaf, server })
    return server
  }
  return {
    accept(socket, host, listener) {
      const name = nameConnection(socket)
      waiting.set(name, listener)
      socket.once('close', () => waiting.delete(name))
      findServer(host).emit('connection', socket)
    },
  }
}

/** The far end of a connection: the same for its TCP socket and its TLS socket, and for no other open connection. */
function nameConnection({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`
}
