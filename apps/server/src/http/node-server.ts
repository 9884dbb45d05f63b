import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endConnection } from '@svc/http-reader'
import type { ConnectionLimits } from './connection-limits.ts'
import type { ServerReply } from './messages.ts'
import { NodeConnection } from './node-connection.ts'
import { PreparedResponse } from './prepared-response.ts'
import { type Upgrade, watchUpgrades } from './upgrade.ts'

/** Node looks for requests that take too long this often, or as often as the shortest limit. */
const MAX_CHECK_MS = 1000

/** Answers a request. It throws nothing. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerReply, upgrade: Upgrade | undefined) => void

/** Node's HTTP server on connections that another server has accepted. */
export interface NodeServer {
  /** Reads a connection from now on. Bytes that were read of it already are put back with `unshift` before. */
  accept(socket: Socket): void
  /** The oldest connection that carries no request now; undefined when all are in use. */
  findIdle(): Socket | undefined
  /** Ends the connections whose last reply has reached the client. */
  closeIdle(): void
  /** Ends idle connections, and connections that never carried a request. */
  drain(): void
  /** Cuts every connection. */
  destroy(): void
}

/** Sets Node's HTTP server up. It listens nowhere: connections reach it through `accept`. */
export function createNodeServer(answer: Answer, limits: ConnectionLimits): NodeServer {
  const connections = new Map<Socket, NodeConnection>()
  /** Connections that never carried a request. Browsers open them ahead of need, and Node counts them as busy. */
  const unused = new Set<Socket>()
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    unused.delete(incoming.socket)
    const turn = { incoming, outgoing, serve: () => answer(incoming, outgoing, undefined) }
    connections.get(incoming.socket)?.take(turn)
  }
  const release = (socket: Socket): NodeConnection | undefined => {
    unused.delete(socket)
    const connection = connections.get(socket)
    connection?.release()
    connections.delete(socket)
    return connection
  }
  const times = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_MS, limits.headersMs, limits.requestMs),
  }
  const server = createServer({ ...times, requireHostHeader: false, ServerResponse: PreparedResponse }, serve)
  // A server that does not listen starts its check of the time limits with this event only.
  server.emit('listening')
  // This listener runs after Node's own, which has begun to read.
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new NodeConnection(socket, limits.unreadMs))
    unused.add(socket)
    // A connection comes again when it asked to leave HTTP in vain.
    socket.off('close', forget).on('close', forget)
  })
  function forget(this: Socket): void {
    release(this)
  }
  // The client is asked to send its body when a handler reads it: a refusal spares it the trouble.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: PreparedResponse) => {
    outgoing.awaitsContinue = true
    serve(incoming, outgoing)
  })
  const upgraded = watchUpgrades(server, { answer, release, unreadMs: limits.unreadMs })
  server.on('connect', ({ socket }: IncomingMessage) => {
    // Nothing is written into a reply that is under way.
    if (release(socket)?.isBusy === true) socket.destroy()
    else endConnection(socket, toRefusal('405 Method Not Allowed'))
  })
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW'
    connections.get(socket)?.fail(toRefusal(isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'))
  })
  return {
    accept(socket) {
      server.emit('connection', socket)
    },
    findIdle() {
      for (const [socket, connection] of connections) {
        if (!connection.isBusy && !socket.destroyed) return socket
      }
      return undefined
    },
    closeIdle: () => server.closeIdleConnections(),
    drain() {
      server.close()
      for (const socket of unused) socket.destroy()
    },
    destroy() {
      server.closeAllConnections()
      upgraded.destroy()
    },
  }
}

/** A reply without a body, the last of its connection. */
function toRefusal(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}
