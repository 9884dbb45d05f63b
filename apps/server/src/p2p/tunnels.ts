import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { ServiceKind } from './exchange.ts'
import { type PeerStream, pump } from './pump.ts'

/** The protocol of a tunnel to a service. */
export const toProtocol = (kind: ServiceKind): string => `/svc/tunnel/1.0.0/${kind}`

/** Most connections of one tunnel. */
const MAX_CONNECTIONS = 128
const CONNECT_MS = 10_000

/** A local port that leads to a service of another member. */
export interface Tunnel {
  /** `127.0.0.1:port`. */
  readonly address: string
  close(): void
}

/**
 * Opens a tunnel. A connection to its port becomes a stream to the member; it is not read before the stream is open.
 *
 * @param dial opens a stream
 */
export async function openTunnel(
  dial: (options: { readonly signal: AbortSignal }) => Promise<PeerStream>,
): Promise<Tunnel> {
  const sockets = new Set<Socket>()
  const closing = new AbortController()
  const server: Server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(CONNECT_MS)])
    dial({ signal }).then(
      (stream) => {
        if (socket.destroyed) return stream.abort(new Error('the local connection is closed'))
        pump(stream, socket, () => undefined)
        socket.resume()
      },
      () => socket.destroy(),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const place = server.address()
  const port = typeof place === 'object' ? place?.port : undefined
  return {
    address: `127.0.0.1:${port}`,
    close() {
      closing.abort()
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
