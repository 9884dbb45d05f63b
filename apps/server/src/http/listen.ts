import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { App } from './app.ts'
import { PreparedResponse } from './prepared-response.ts'
import { type Upgrade, type UpgradedConnections, watchUpgrades } from './upgrade.ts'

/** Time limits of connections (threats IN-11). */
const HEADERS_TIMEOUT_MS = 30_000
const REQUEST_TIMEOUT_MS = 300_000
const KEEP_ALIVE_MS = 120_000
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

/**
 * Listens with the application.
 *
 * @throws {Error} with `code` such as `EADDRINUSE` when the address cannot be had
 */
export async function listen(
  app: App,
  address: { readonly host?: string | undefined; readonly port: number },
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...(address.host === undefined ? {} : { host: address.host }), port: address.port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return toListener(server, { unused: watchUnused(server), upgraded })
}

/** Connections that never carried a request: browsers open them ahead of need, and the server counts them as busy. */
function watchUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  for (const event of ['request', 'upgrade']) {
    server.on(event, ({ socket }: IncomingMessage) => unused.delete(socket))
  }
  return unused
}

function toListener(
  server: Server,
  { unused, upgraded }: { readonly unused: ReadonlySet<Socket>; readonly upgraded: UpgradedConnections },
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
      })
    },
    destroy() {
      server.closeAllConnections()
      upgraded.destroy()
    },
  }
}
