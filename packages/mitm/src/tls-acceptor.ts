import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { Authority } from './authority.ts'
import type { KeyedCertificate } from './certificate.ts'
import { LruCache } from './lru-cache.ts'

/** Begins TLS as the server of any host. */
export interface TlsAcceptor {
  /** Calls back once the handshake is complete. A failed handshake closes the socket. */
  accept(socket: Socket, host: string, onSecure: (tls: TLSSocket) => void): void
}

/** Most hosts whose TLS servers are kept. */
const MAX_SERVERS = 1000

/**
 * Creates the acceptor. Each host has a TLS server that does not listen: its certificate is known without a server name
 * in the handshake, and sessions resume.
 */
export function createTlsAcceptor(authority: Authority, handshakeMs: number): TlsAcceptor {
  const servers = new LruCache<{ readonly leaf: KeyedCertificate; readonly server: Server }>(MAX_SERVERS)
  const waiting = new Map<string, (tls: TLSSocket) => void>()

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
      const onSecure = waiting.get(nameConnection(tls))
      if (onSecure === undefined) tls.destroy()
      else onSecure(tls)
    })
    server.on('tlsClientError', (_error, tls) => tls.destroy())
    servers.set(host, { leaf, server })
    return server
  }
  return {
    accept(socket, host, onSecure) {
      const name = nameConnection(socket)
      waiting.set(name, onSecure)
      socket.once('close', () => waiting.delete(name))
      findServer(host).emit('connection', socket)
    },
  }
}

/** The far end of a connection: the same for its TCP socket and its TLS socket, and for no other open connection. */
function nameConnection({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`
}
