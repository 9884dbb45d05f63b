import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { SvcError } from '@svc/errors'
import type { App } from './app.ts'
import { ConnectionLimit, grantConnections } from './connection-limit.ts'
import { createDirectConnections, type DirectConnections } from './direct/direct-connections.ts'
import { errorBody } from './error-envelopes.ts'
import { ignoreErrors } from './linger.ts'
import { createNodeServer } from './node-server.ts'
import { READ_STALL_MS } from './reply-writer.ts'
import type { Upgrade, UpgradedConnections } from './upgrade.ts'

/** Time limits of connections (threats IN-11). */
const HEADERS_TIMEOUT_MS = 30_000
const REQUEST_TIMEOUT_MS = 300_000
const KEEP_ALIVE_MS = 120_000
const NODE_LIMITS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
}
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
  /** Most connections at once. @default what the server takes where the system has no limit */
  readonly maxConnections?: number | undefined
}

/** What is answered however many connections there are. */
const HEALTH_CHECKS: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])

/**
 * Listens with the application.
 *
 * @throws {Error} with `code` such as `EADDRINUSE` when the address cannot be had
 */
export async function listen(
  app: App,
  address: { readonly host?: string | undefined; readonly port: number },
  { unreadMs = READ_STALL_MS, maxConnections = grantConnections(0, undefined).max }: ListenOptions = {},
): Promise<Listener> {
  const limit: ConnectionLimit = new ConnectionLimit(maxConnections, () => direct.findIdle() ?? node.findIdle())
  const handle = getRequestListener(
    (request, bindings) => {
      const upgrade = upgrades.get(bindings.incoming)
      return app.fetch(request, upgrade === undefined ? bindings : { ...bindings, upgrade })
    },
    { overrideGlobalObjects: false, hostname: 'localhost' },
  )
  const upgrades = new WeakMap<object, Upgrade>()
  // Whatever a handler throws is answered by the edge; what is left is a reply that could not be written.
  const node = createNodeServer((incoming, outgoing, upgrade) => {
    outgoing.once('prefinish', () => limitUnread(outgoing, unreadMs))
    if (!HEALTH_CHECKS.has(incoming.url) && !limit.admits(incoming.socket)) {
      refuseExcess(outgoing)
      return
    }
    if (upgrade !== undefined) upgrades.set(incoming, upgrade)
    const served = upgrade === undefined ? app.serveDirect?.(incoming, outgoing) : undefined
    ;(served ?? handle(incoming, outgoing)).catch(() => outgoing.destroy())
  }, NODE_LIMITS)
  const { server, upgraded } = node
  const unused = watchUnused(server)
  const readByNode = (socket: Socket): void => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
    node.read(socket)
  }
  const direct = createDirectConnections(
    {
      serves: ({ method, target }) => app.servesDirect?.(method, target) === true,
      serve(incoming, outgoing) {
        app.serveDirect?.(incoming, outgoing)?.catch(() => outgoing.destroy())
      },
      handOver: readByNode,
    },
    { ...DIRECT_LIMITS, unread: unreadMs },
  )
  server.on('connection', (socket: Socket) => {
    // One that asked to leave HTTP, and is to be served as if it did not, comes a second time.
    if (limit.has(socket)) direct.accept(socket)
    else {
      // Whoever reads a connection listens for its errors only as long.
      ignoreErrors(socket)
      if (!limit.add(socket)) socket.destroy()
      else if (limit.isExcess(socket)) readByNode(socket)
      else direct.accept(socket)
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...(address.host === undefined ? {} : { host: address.host }), port: address.port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return toListener(server, { unused, direct, upgraded })
}

/** Answers a request for which there is no room, on a connection that is one too many. */
function refuseExcess(outgoing: ServerResponse): void {
  const error = new SvcError('unavailable', 'too many connections are open; retry shortly', {
    code: 'too_many_connections',
  })
  const headers = { Connection: 'close', 'Content-Type': 'application/json', 'Retry-After': '1' }
  outgoing.writeHead(503, headers).end(JSON.stringify(errorBody(error, 'compatible')))
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
