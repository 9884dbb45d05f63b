import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createLastReply, MAX_AHEAD_BYTES, type Reply, watchHalfClosed } from '@svc/http-reader'
import type { ServerReply } from './messages.ts'

/** A request for a WebSocket, with its connection. */
export interface Upgrade {
  readonly request: IncomingMessage
  /** HTTP parsers no longer read it. */
  readonly connection: Socket
  /** Bytes that have arrived after the request. */
  readonly head: Buffer
  /** The reply of a request that stays in HTTP. It is the last one of the connection. */
  readonly reply: Reply
}

/** The connections of a server that have left HTTP, or are about to. */
export interface UpgradedConnections {
  /** Cuts them all. */
  destroy(): void
}

/** The server around requests to leave HTTP. */
export interface UpgradeHost {
  answer(incoming: IncomingMessage, outgoing: ServerReply, upgrade: Upgrade): void
  /** Forgets a connection that Node reads no more. @returns whether a request of it is being answered */
  release(socket: Socket): { readonly isBusy: boolean } | undefined
  readonly unreadMs: number
}

/**
 * Answers requests to leave HTTP. A request for a WebSocket is answered through a reply on its connection, like any other
 * request: the edge decides. Any other request is served as if it did not ask: clients that hope for HTTP/2 ask on every
 * plain connection.
 */
export function watchUpgrades(server: Server, { answer, release, unreadMs }: UpgradeHost): UpgradedConnections {
  const connections = new Set<Socket>()
  server.on('upgrade', (incoming: IncomingMessage, _stream: Duplex, head: Buffer) => {
    // On a plain server it is the socket of the request.
    const connection = incoming.socket
    if (release(connection)?.isBusy === true) {
      connection.destroy()
      return
    }
    if (incoming.method !== 'GET' || incoming.headers.upgrade?.toLowerCase() !== 'websocket') {
      serveAgain(server, { request: incoming, connection, head })
      return
    }
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
    const reply = createLastReply(connection, { method: incoming.method, unreadMs })
    answer(incoming, reply, { request: incoming, connection, head, reply })
  })
  return {
    destroy() {
      for (const connection of connections) connection.destroy()
    },
  }
}

/**
 * Reads on where a request is answered over HTTP although it asked to leave it: no parser reads the connection, and the end
 * of a connection that is not read goes unnoticed.
 */
export function stayInHttp({ connection, head, reply }: Upgrade): void {
  let readBytes = head.length
  connection
    .on('data', (chunk: Buffer) => {
      readBytes += chunk.length
      if (readBytes > MAX_AHEAD_BYTES) connection.destroy()
    })
    .once('end', () => {
      if (reply.writableEnded) return
      if (reply.headersSent) connection.destroy()
      else reply.once('close', watchHalfClosed(reply, { socket: connection }))
    })
}

/** Lets the server read a request once more, without the header that asked to leave HTTP. */
function serveAgain(server: Server, { request, connection, head }: Omit<Upgrade, 'reply'>): void {
  const { rawHeaders } = request
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`)
  }
  connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', connection)
}
