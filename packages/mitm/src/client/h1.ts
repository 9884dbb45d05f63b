import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { endConnection } from '@svc/http-reader'
import { forEachHeader, listValues, type RawHeaders } from '../headers.ts'
import type { Limits } from '../limits/limits.ts'
import { type ClientReply, type ClientRequest, isBodiless } from './request.ts'

/** Reads HTTP/1.1 from TLS connections. */
export interface Http1Reader {
  /** Reads a connection; `onRequest` is called for one request at a time. */
  read(socket: TLSSocket, onRequest: (request: ClientRequest) => Promise<void>): void
  close(): void
}

/** Pipelined requests that wait for the reply to an earlier one. */
const MAX_WAITING = 32
/** Interval of the search for connections that send no request, milliseconds. */
const CHECK_MS = 500

interface Connection {
  readonly onRequest: (request: ClientRequest) => Promise<void>
  last: Promise<void>
  /** The last reply has gone out, or will: later requests are not read. */
  isOver: boolean
  waiting: number
}

/** Creates the reader. Node's server parses; it does not listen. */
export function createHttp1Reader(limits: Limits): Http1Reader {
  const connections = new WeakMap<Duplex, Connection>()
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headerMs),
    keepAliveTimeout: limits.idleMs,
  })
  const take = (request: ClientRequest, response: ServerResponse, socket: Duplex): void => {
    const connection = connections.get(socket)
    if (connection === undefined || connection.waiting >= MAX_WAITING) {
      socket.destroy()
      return
    }
    connection.waiting += 1
    connection.last = connection.last
      .then(() => (connection.isOver || socket.destroyed ? undefined : connection.onRequest(request)))
      .finally(() => {
        connection.waiting -= 1
        if (!response.shouldKeepAlive) connection.isOver = true
      })
  }
  const serve = (expectsContinue: boolean) => (incoming: IncomingMessage, response: ServerResponse) => {
    response.sendDate = false
    take(toClientRequest(incoming, response, { expectsContinue, upgrade: undefined }), response, incoming.socket)
  }
  server.on('request', serve(false))
  server.on('checkContinue', serve(true))
  server.on('upgrade', (incoming: IncomingMessage, socket, head) => {
    socket.on('error', () => {})
    if (head.length > 0) socket.unshift(head)
    const response = new ServerResponse(incoming)
    response.sendDate = false
    response.shouldKeepAlive = false
    response.assignSocket(incoming.socket)
    response.once('finish', () => incoming.socket.destroySoon())
    const upgrade = incoming.headers.upgrade?.toLowerCase()
    take(toClientRequest(incoming, response, { expectsContinue: false, upgrade }), response, socket)
  })
  server.on('clientError', (_error, duplex: Duplex) => {
    // All connections came as TLS sockets.
    const socket = duplex as TLSSocket
    if (socket.writable) endConnection(socket, BAD_REQUEST)
    else socket.destroy()
  })
  startTimeLimits(server)
  return {
    read(socket, onRequest) {
      connections.set(socket, { onRequest, last: Promise.resolve(), isOver: false, waiting: 0 })
      server.emit('connection', socket)
    },
    close: () => void server.close(),
  }
}

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'

/** Node's server checks the time limits of headers from this event on, which a server that listens has by itself. */
function startTimeLimits(server: Server): void {
  server.emit('listening')
}

function toClientRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  { expectsContinue, upgrade }: Pick<ClientRequest, 'expectsContinue' | 'upgrade'>,
): ClientRequest {
  const { method = '', url = '', rawHeaders, headers } = incoming
  const length = Number(headers['content-length'] ?? 0)
  return {
    protocol: 'http/1.1',
    method,
    target: url,
    authorities: listValues(rawHeaders, 'host'),
    headers: rawHeaders,
    hasBody: headers['transfer-encoding'] !== undefined || length > 0,
    body: incoming,
    expectsContinue,
    upgrade,
    trailers: () => incoming.rawTrailers,
    reply: toReply(incoming, response),
  }
}

function toReply(incoming: IncomingMessage, response: ServerResponse): ClientReply {
  return {
    get isStarted() {
      return response.headersSent
    },
    stream: response,
    inform({ status, headers }) {
      if (incoming.httpVersion === '1.0' || response.headersSent) return
      if (status === 100) response.writeContinue()
      else if (status !== 101) response.socket?.write(writeHead(status, headers))
    },
    start({ status, statusText, headers }) {
      const reason = statusText === undefined || statusText === '' ? (STATUS_CODES[status] ?? '') : statusText
      // Names and values in turn: the declared type wants numbers and lists too.
      response.writeHead(status, reason, [...headers])
    },
    closeAfterwards() {
      response.shouldKeepAlive = false
    },
    flush: () => response.flushHeaders(),
    finish(trailers) {
      const pairs: [string, string][] = []
      forEachHeader(trailers, (_, value, name) => pairs.push([name, value]))
      if (pairs.length > 0 && !isBodiless(incoming.method ?? '', response.statusCode)) response.addTrailers(pairs)
      response.end()
    },
    switchProtocols({ status, headers }) {
      response.detachSocket(incoming.socket)
      incoming.socket.write(writeHead(status, headers))
      return incoming.socket
    },
    abort: () => void incoming.socket.destroy(),
    onceClosed(listener) {
      response.once('close', () => listener(response.writableFinished))
      // A connection of another protocol has left its response.
      if (incoming.headers.upgrade !== undefined) incoming.socket.once('close', () => listener(false))
    },
  }
}

function writeHead(status: number, headers: RawHeaders): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`]
  forEachHeader(headers, (_, value, name) => lines.push(`${name}: ${value}`))
  return `${lines.join('\r\n')}\r\n\r\n`
}
