import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { MAX_AHEAD_BYTES } from './direct/direct-connection.ts'
import { endConnection } from './linger.ts'

/** What a client that asks for a WebSocket gives beside its request. */
export interface Upgrade {
  readonly request: IncomingMessage
  /** The connection; no HTTP parser reads it any more. */
  readonly connection: Socket
  /** What has already arrived after the request. */
  readonly head: Buffer
}

/** The connections of a server that have left HTTP, or are about to. */
export interface UpgradedConnections {
  /** Ends them all. */
  destroy(): void
}

/**
 * Answers requests to leave HTTP. One for a WebSocket is answered through a reply on its connection, like any other
 * request: the edge decides. Whatever else a client asks for is served as if it did not ask: clients that hope for
 * HTTP/2 ask on every plain connection.
 */
export function watchUpgrades(
  server: Server,
  answer: (incoming: IncomingMessage, outgoing: ServerResponse, upgrade: Upgrade) => void,
): UpgradedConnections {
  const connections = new Set<Socket>()
  server.on('upgrade', (incoming: IncomingMessage, _stream: Duplex, head: Buffer) => {
    // Of a plain server it is the socket of the request.
    const connection = incoming.socket
    const outgoing = new ServerResponse(incoming)
    try {
      outgoing.assignSocket(connection)
    } catch {
      // An earlier request of the connection is still being answered.
      connection.destroy()
      return
    }
    const upgrade: Upgrade = { request: incoming, connection, head }
    if (incoming.method !== 'GET' || incoming.headers.upgrade?.toLowerCase() !== 'websocket') {
      outgoing.detachSocket(connection)
      serveAgain(server, upgrade)
      return
    }
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
    outgoing.shouldKeepAlive = false
    outgoing.once('finish', () => endConnection(connection))
    answer(incoming, outgoing, upgrade)
  })
  return {
    destroy() {
      for (const connection of connections) connection.destroy()
    },
  }
}

/**
 * Reads on where a request is answered over HTTP although it asked to leave it: nobody else reads the connection, and the
 * end of one that is not read goes unnoticed.
 */
export function stayInHttp({ connection, head }: Upgrade): void {
  let readBytes = head.length
  connection
    .on('data', (chunk: Buffer) => {
      readBytes += chunk.length
      if (readBytes > MAX_AHEAD_BYTES) connection.destroy()
    })
    .once('end', () => connection.destroySoon())
}

/** Lets the server read a request once more, without what asked to leave HTTP. */
function serveAgain(server: Server, { request, connection, head }: Upgrade): void {
  const { rawHeaders } = request
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`)
  }
  connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', connection)
}
