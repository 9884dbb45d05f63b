import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endConnection } from './linger.ts'
import { NodeConnection } from './node-connection.ts'
import { PreparedResponse } from './prepared-response.ts'
import { type Upgrade, type UpgradedConnections, watchUpgrades } from './upgrade.ts'

/** How Node's HTTP server is set up, milliseconds. */
export interface NodeServerLimits {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
}

/** Answers a request. Nothing that it throws may be left to others. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse, upgrade: Upgrade | undefined) => void

/** Node's HTTP server, which reads the connections that are handed to it. */
export interface NodeServer {
  readonly server: Server
  readonly upgraded: UpgradedConnections
  /** Takes a connection over. */
  read(socket: Socket): void
  /** The oldest connection that carries no request now; none when all are in use. */
  findIdle(): Socket | undefined
}

/** Sets Node's HTTP server up; its own listener for connections is taken off it. */
export function createNodeServer(answer: Answer, limits: NodeServerLimits): NodeServer {
  const connections = new Map<Socket, NodeConnection>()
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const turn = { incoming, outgoing, serve: () => answer(incoming, outgoing, undefined) }
    connections.get(incoming.socket)?.take(turn)
  }
  const server = createServer(
    { ...limits, noDelay: true, requireHostHeader: false, ServerResponse: PreparedResponse },
    serve,
  )
  // The client is told to send its body once that is asked for: a refusal spares it the trouble.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: PreparedResponse) => {
    outgoing.awaitsInvitation = true
    serve(incoming, outgoing)
  })
  const giveAway = (socket: Socket): NodeConnection | undefined => {
    const connection = connections.get(socket)
    connection?.release()
    connections.delete(socket)
    return connection
  }
  server.on('upgrade', ({ socket }: IncomingMessage) => giveAway(socket))
  const upgraded = watchUpgrades(server, answer)
  server.on('connect', ({ socket }: IncomingMessage) => {
    // Into a reply that is under way nothing else is written.
    if (giveAway(socket)?.isBusy === true) socket.destroy()
    else endConnection(socket, lastWords('405 Method Not Allowed'))
  })
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW'
    connections.get(socket)?.fail(lastWords(isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'))
  })
  const [readByNode] = server.listeners('connection')
  if (readByNode === undefined) throw new Error("Node's HTTP server has no listener for connections")
  server.off('connection', readByNode as () => void)
  return {
    server,
    upgraded,
    read(socket) {
      readByNode.call(server, socket)
      connections.set(socket, new NodeConnection(socket))
      socket.once('close', () => connections.delete(socket))
    },
    findIdle() {
      for (const [socket, connection] of connections) {
        if (!connection.isBusy && !socket.destroyed) return socket
      }
      return undefined
    },
  }
}

/** A reply from which nothing follows. */
function lastWords(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}
