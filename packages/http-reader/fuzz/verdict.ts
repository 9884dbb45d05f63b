import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { createRequestReader, type PlainRequest, type RequestReader } from '@svc/http-reader'

/** A request as a server has read it. */
export interface SeenRequest {
  readonly kind: 'request' | 'continue' | 'expectation' | 'upgrade' | 'connect'
  readonly method: string | undefined
  readonly target: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly rawHeaders: readonly string[]
  readonly keepsAlive: boolean
  /** One character a byte; the rest of the connection for requests that leave HTTP. */
  body: string
  isWhole: boolean
}

/** The requests of one connection, in order, and how its bytes ended. */
export interface Verdict {
  readonly requests: SeenRequest[]
  /** Number of the requests that the reader has read itself. */
  ownCount: number
  /** Whether the reader has handed the connection over. */
  isHandedOver: boolean
  /** The code of Node's parser. */
  error: string | undefined
}

/** Node's HTTP server, which notes its reading of each connection. */
export function createNodeSide(verdicts: ReadonlyMap<Socket, Verdict>): HttpServer {
  const see =
    (kind: SeenRequest['kind']) =>
    (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const seen = note(verdicts, incoming, { kind, keepsAlive: outgoing.shouldKeepAlive })
      if (kind === 'continue') outgoing.writeContinue()
      takeBody(incoming, seen, () => outgoing.end('ok'))
    }
  const leave = (kind: SeenRequest['kind']) => (incoming: IncomingMessage, _stream: unknown, head: Buffer) => {
    const { socket } = incoming
    const seen = note(verdicts, incoming, { kind, keepsAlive: false })
    seen.body += head.toString('latin1')
    takeBody(socket, seen, () => socket.end())
  }
  return createHttpServer({ requireHostHeader: false, keepAliveTimeout: 0 }, see('request'))
    .on('checkContinue', see('continue'))
    .on('checkExpectation', see('expectation'))
    .on('upgrade', leave('upgrade'))
    .on('connect', leave('connect'))
    .on('clientError', (error: Error & { code?: string }, socket) => {
      const verdict = verdicts.get(socket as Socket)
      if (verdict !== undefined) verdict.error ??= error.code ?? error.message
      // The bodies of earlier requests are still on their way to their handlers.
      setImmediate(() => socket.destroy())
    })
}

/** The reader, which notes its reading of each connection and hands everything else to Node. */
export function createOwnSide(verdicts: ReadonlyMap<Socket, Verdict>, node: HttpServer): RequestReader {
  return createRequestReader({
    accepts: () => true,
    serve(request, reply) {
      const seen = noteOwn(verdicts, request)
      if (request.body instanceof Uint8Array) {
        seen.body = Buffer.from(request.body).toString('latin1')
        seen.isWhole = true
        reply.end('ok')
      } else takeBody(request.body, seen, () => reply.end('ok'))
    },
    handOver(socket) {
      const verdict = verdicts.get(socket)
      if (verdict !== undefined) verdict.isHandedOver = true
      node.emit('connection', socket)
    },
  })
}

function note(
  verdicts: ReadonlyMap<Socket, Verdict>,
  { method, url, headers, rawHeaders, socket }: IncomingMessage,
  { kind, keepsAlive }: Pick<SeenRequest, 'kind' | 'keepsAlive'>,
): SeenRequest {
  const seen = { kind, method, target: url, headers, rawHeaders, keepsAlive, body: '', isWhole: false }
  verdicts.get(socket)?.requests.push(seen)
  return seen
}

function noteOwn(
  verdicts: ReadonlyMap<Socket, Verdict>,
  { method, url, headers, rawHeaders, keepsAlive, socket }: PlainRequest,
): SeenRequest {
  const start = { kind: 'request', method, target: url } as const
  const seen = { ...start, headers, rawHeaders, keepsAlive, body: '', isWhole: false }
  const verdict = verdicts.get(socket)
  verdict?.requests.push(seen)
  if (verdict !== undefined) verdict.ownCount += 1
  return seen
}

function takeBody(body: Readable, seen: SeenRequest, done: () => void): void {
  body
    .on('data', (chunk: Buffer) => {
      seen.body += chunk.toString('latin1')
    })
    .on('end', () => {
      seen.isWhole = true
      done()
    })
    .on('error', () => undefined)
}
