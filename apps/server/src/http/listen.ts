import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { SvcError } from '@svc/errors'
import { createRequestReader, type RequestReader } from '@svc/http-reader'
import type { App } from './app.ts'
import { ConnectionLimit, grantConnections } from './connection-limit.ts'
import { type ConnectionLimits, DEFAULT_LIMITS } from './connection-limits.ts'
import { errorBody } from './error-envelopes.ts'
import { HEALTH_CHECKS } from './health-checks.ts'
import type { HonoAnswer } from './hono-answer.ts'
import type { ServerReply } from './messages.ts'
import { type Answer, createNodeServer, type NodeServer } from './node-server.ts'

/** Time between two looks for idle connections while the server stops. */
const IDLE_SWEEP_MS = 10

/** A listening server. */
export interface Listener {
  /** The URL where it listens, with port. */
  readonly url: string
  readonly port: number
  /** Stops accepting; idle connections end at once, busy ones with their reply. Resolves when all are gone. */
  drain(): Promise<void>
  /** Cuts every open connection. */
  destroy(): void
}

/** The parser of requests. `own` reads plain requests with `@svc/http-reader` and hands others to Node; `node` hands all to Node. */
export type HttpReader = 'own' | 'node'

/** Options of a listening server. */
export interface ListenOptions {
  /** @default 'own' */
  readonly httpReader?: HttpReader | undefined
  readonly limits?: Partial<ConnectionLimits> | undefined
  /** Most connections at once. @default the number that the server takes where the system has no limit */
  readonly maxConnections?: number | undefined
}

/** Where a server listens. */
export interface ListenAddress {
  readonly host?: string | undefined
  readonly port: number
}

/**
 * Listens with the application.
 *
 * @throws {Error} with `code` such as `EADDRINUSE` when the address cannot be had
 */
export async function listen(app: App, address: ListenAddress, options: ListenOptions = {}): Promise<Listener> {
  const { httpReader = 'own', maxConnections = grantConnections(0, undefined).max } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const limit: ConnectionLimit = new ConnectionLimit(maxConnections, () => reader.findIdle() ?? node.findIdle())
  const node = createNodeServer(toNodeAnswer(app, limit), limits)
  const reader = createRequestReader({
    accepts: ({ method, target }) => app.servesLiteral?.(method, target) === true,
    serve(incoming, outgoing) {
      app.serveLiteral?.(incoming, outgoing)?.catch(() => outgoing.destroy())
    },
    handOver: (socket) => node.accept(socket),
    limits: {
      unusedMs: limits.headersMs,
      idleMs: limits.keepAliveMs,
      bodyMs: limits.requestMs,
      unreadMs: limits.unreadMs,
    },
  })
  const server = await openServer(address, limit, (socket) => {
    if (httpReader === 'node' || limit.isExcess(socket)) node.accept(socket)
    else reader.accept(socket)
  })
  return toListener(server, node, reader)
}

/**
 * Listens with a handler of requests that Node has read: for a small listener beside the API. It has the same time limits for
 * connections.
 *
 * @throws {Error} as {@link listen} does
 */
export async function listenWithNode(
  answer: Answer,
  address: ListenAddress,
  options: { readonly limits: ConnectionLimits; readonly maxConnections: number },
): Promise<Listener> {
  const limit: ConnectionLimit = new ConnectionLimit(options.maxConnections, () => node.findIdle())
  const node = createNodeServer((incoming, outgoing, upgrade) => {
    if (limit.admits(incoming.socket)) answer(incoming, outgoing, upgrade)
    else refuseExcess(outgoing)
  }, options.limits)
  return toListener(await openServer(address, limit, (socket) => node.accept(socket)), node)
}

async function openServer(
  { host, port }: ListenAddress,
  limit: ConnectionLimit,
  accept: (socket: Socket) => void,
): Promise<Server> {
  // A client may end its half before it has its reply.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    // A reader of a connection listens for its errors only while it reads.
    socket.on('error', ignore)
    if (limit.add(socket)) accept(socket)
    else socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...(host === undefined ? {} : { host }), port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return server
}

function ignore(): void {}

/** Answers the requests that Node has read. The edge answers errors of handlers; other errors cut the connection. */
function toNodeAnswer(app: App, limit: ConnectionLimit): Answer {
  let answer: HonoAnswer | undefined
  const answerFirst: HonoAnswer = async (...request) => {
    answer ??= (await import('./hono-answer.ts')).createHonoAnswer(app)
    await answer(...request)
  }
  return (incoming, outgoing, upgrade) => {
    if (!HEALTH_CHECKS.has(incoming.url) && !limit.admits(incoming.socket)) {
      refuseExcess(outgoing)
      return
    }
    const served = upgrade === undefined ? app.serveLiteral?.(incoming, outgoing) : undefined
    ;(served ?? (answer ?? answerFirst)(incoming, outgoing, upgrade)).catch(() => outgoing.destroy())
  }
}

/** Answers a request on a connection above the limit. */
function refuseExcess(outgoing: ServerReply): void {
  const error = new SvcError('unavailable', 'too many connections are open; retry shortly', {
    code: 'too_many_connections',
  })
  const headers = { Connection: 'close', 'Content-Type': 'application/json', 'Retry-After': '1' }
  outgoing.writeHead(503, headers).end(JSON.stringify(errorBody(error, 'compatible')))
}

function toListener(server: Server, node: NodeServer, reader?: RequestReader): Listener {
  const { port, family, address } = server.address() as AddressInfo
  const shown = address === '::' || address === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return {
    url: `http://${shown}:${port}`,
    port,
    drain() {
      return new Promise((resolve) => {
        // A connection becomes idle when the client has its reply.
        const sweeper = setInterval(() => node.closeIdle(), IDLE_SWEEP_MS)
        server.close(() => {
          clearInterval(sweeper)
          resolve()
        })
        node.drain()
        reader?.drain()
      })
    },
    destroy() {
      node.destroy()
      reader?.destroy()
    },
  }
}
