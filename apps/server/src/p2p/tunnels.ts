import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { ServiceKind } from './exchange.ts'
import type { ServicePlace } from './options.ts'
import { type PeerStream, pauseStream, pump, resumeStream } from './pump.ts'

/** The protocol of a tunnel to a service. */
export const toProtocol = (kind: ServiceKind): string => `/svc/tunnel/1.0.0/${kind}`

/** Most connections of one tunnel, and most streams that a member serves for one service. */
export const MAX_CONNECTIONS = 256
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

/** Leads the streams of a service to its place. @returns the handler of the streams, and a function that ends all of them */
export function createEntrance(place: () => ServicePlace | undefined): {
  readonly accept: (stream: PeerStream) => void
  readonly close: () => void
} {
  const sockets = new Set<Socket>()
  return {
    accept(stream) {
      const target = place()
      if (target === undefined || sockets.size >= MAX_CONNECTIONS) {
        stream.abort(new Error('the service takes no further connection'))
        return
      }
      pauseStream(stream)
      const socket = connect({ ...target, allowHalfOpen: true })
      sockets.add(socket)
      const refuse = (): void => void socket.destroy(new Error('the service does not answer'))
      socket.setTimeout(CONNECT_MS, refuse)
      socket.once('connect', () => {
        socket.setTimeout(0)
        resumeStream(stream)
      })
      pump(stream, socket, () => sockets.delete(socket))
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
