import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { App } from './app.ts'
import { createDirectConnections, type DirectConnections } from './direct/direct-connections.ts'
import { PreparedResponse } from './prepared-response.ts'
import { READ_STALL_MS } from './reply-writer.ts'
import { type Upgrade, type UpgradedConnections, watchUpgrades } from './upgrade.ts'

/** Time limits of connections (threats IN-11). */
const HEADERS_TIMEOUT_MS = 30_000
const REQUEST_TIMEOUT_MS = 300_000
const KEEP_ALIVE_MS = 120_000
/** The same for connections that the server reads itself. */
const DIRECT_LIMITS = {
  unused: HEADERS_TIMEOUT_MS,
  idle: KEEP_ALIVE_MS,
  receiving: REQUEST_TIMEOUT_MS,
  answering: Number.POSITIVE_INFINITY,
}
/** How often connections are looked for, while the server stops, that have become idle. */
const IDLE_SWEEP_MS = 10

/** A listening server. */
export interface Listener {
  /** Where it listens, as a URL with port. */
  readonly url: string
  readonly port: number
  /** Stops accepting; idle connections end at once, busy ones with their reply. Resolves when all are gone. */
  drain(): Promise<void>
  /** Ends what is still open. */
  destroy(): void
}

/** How a server listens. */
export interface ListenOptions {
  /** Milliseconds that a client may take nothing of a reply that has ended, before it is cut off. @default 60000 */
  readonly unreadMs?: number | undefined
}

/**
 * Listens with the application.
 *
 * @throws {Error} with `code` such as `EADDRINUSE` when the address cannot be had
 */
export async function listen(
  app: App,
  address: { readonly host?: string | undefined; readonly port: number },
  { unreadMs = READ_STALL_MS }: ListenOptions = {},
): Promise<Listener> {
  const upgrades = new WeakMap<object, Upgrade>()
  const handle = getRequestListener(
    (request, bindings) => {
      const upgrade = upgrades.get(bindings.incoming)
      return app.fetch(request, upgrade === undefined ? bindings : { ...bindings, upgrade })
    },
    { overrideGlobalObjects: false, hostname: 'localhost' },
  )
  // Whatever a handler throws is answered by the edge; what is left is a reply that could not be written.
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.once('prefinish', () => limitUnread(outgoing, unreadMs))
    const served = upgrades.has(incoming) ? undefined : app.serveDirect?.(incoming, outgoing)
    ;(served ?? handle(incoming, outgoing)).catch(() => outgoing.destroy())
  }
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
      requireHostHeader: false,
      ServerResponse: PreparedResponse,
    },
    serve,
  )
  const upgraded = watchUpgrades(server, (incoming, outgoing, upgrade) => {
    upgrades.set(incoming, upgrade)
    serve(incoming, outgoing)
  })
  server.on('connect', (_request, socket) => {
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (!socket.writable) return
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  })
  const unused = watchUnused(server)
  const direct = readDirectly(server, app, { unused, unreadMs })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...(address.host === undefined ? {} : { host: address.host }), port: address.port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return toListener(server, { unused, direct, upgraded })
}

/**
 * Puts connections that the server reads itself in front of Node's HTTP server, which gets those whose requests are not
 * plain or not served directly.
 */
function readDirectly(
  server: Server,
  app: App,
  { unused, unreadMs }: { readonly unused: Set<Socket>; readonly unreadMs: number },
): DirectConnections {
  const [serveByNode] = server.listeners('connection')
  if (serveByNode === undefined) throw new Error("Node's HTTP server has no listener for connections")
  server.off('connection', serveByNode as () => void)
  const direct = createDirectConnections(
    {
      serves: ({ method, target }) => app.servesDirect?.(method, target) === true,
      serve(incoming, outgoing) {
        app.serveDirect?.(incoming, outgoing)?.catch(() => outgoing.destroy())
      },
      handOver(socket) {
        unused.add(socket)
        socket.once('close', () => unused.delete(socket))
        serveByNode.call(server, socket)
      },
    },
    { ...DIRECT_LIMITS, unread: unreadMs },
  )
  server.on('connection', (socket: Socket) => direct.accept(socket))
  return direct
}

/** Gives a reply that is whole, but not out, only so long (threats REL-3). Node sets its own limit once it is out. */
function limitUnread({ socket }: ServerResponse, unreadMs: number): void {
  if (socket !== null && socket.writableLength > 0) socket.setTimeout(unreadMs)
}

/** Connections that never carried a request: browsers open them ahead of need, and the server counts them as busy. */
function watchUnused(server: Server): Set<Socket> {
  const unused = new Set<Socket>()
  for (const event of ['request', 'upgrade']) {
    server.on(event, ({ socket }: IncomingMessage) => unused.delete(socket))
  }
  return unused
}

function toListener(
  server: Server,
  {
    unused,
    direct,
    upgraded,
  }: {
    readonly unused: ReadonlySet<Socket>
    readonly direct: DirectConnections
    readonly upgraded: UpgradedConnections
  },
): Listener {
  const { port, family, address } = server.address() as AddressInfo
  const shown = address === '::' || address === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return {
    url: `http://${shown}:${port}`,
    port,
    drain() {
      return new Promise((resolve) => {
        // A connection is idle once its reply is through, and not before.
        const sweeper = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
        server.close(() => {
          clearInterval(sweeper)
          resolve()
        })
        server.closeIdleConnections()
        for (const socket of unused) socket.destroy()
        direct.drain()
      })
    },
    destroy() {
      server.closeAllConnections()
      direct.destroy()
      upgraded.destroy()
    },
  }
}
