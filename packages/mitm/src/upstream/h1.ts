import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { invalidRequest } from '../errors.ts'
import { forEachHeader, joinCookies, keepEndToEnd, listValues, type RawHeaders } from '../headers.ts'
import {
  checkWanted,
  type ReplyHead,
  type ReplyListener,
  type UpgradeOutcome,
  type UpstreamExchange,
  type UpstreamRequest,
} from './upstream.ts'

/** Connections to the host for one connection of a client: only an HTTP/2 client needs more than one. */
const MAX_CONNECTIONS = 32
const MAX_HEADER_BYTES = 64 * 1024
/** Informational replies to one request. */
const MAX_INFORMATION = 100

/** Speaks HTTP/1.1 over connections that `dial` opens; each is used for one request after the other. */
export class Http1Upstream extends Agent {
  readonly #dial: () => Promise<TLSSocket>
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(dial: () => Promise<TLSSocket>) {
    super({ keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_CONNECTIONS })
    this.#dial = dial
  }

  /** Called by the agent. */
  override createConnection(
    _options: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#dial().then(
      (socket) => callback(null, socket),
      // The declared type wants a socket with an error too; the agent does not look at it.
      (error) => Reflect.apply(callback, undefined, [error]),
    )
  }

  /**
   * Sends a head once there is a connection for it. Without this wait the agent would open any number at a time.
   *
   * @throws {SvcError} for a head that HTTP/1.1 cannot express
   */
  async start(request: UpstreamRequest, listener: ReplyListener, isWanted: () => boolean): Promise<UpstreamExchange> {
    if (this.#running < MAX_CONNECTIONS) this.#running += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      checkWanted(isWanted)
      const outgoing = open({ agent: this, method: request.method, path: request.target, headers: toHttp1(request) })
      outgoing.once('close', () => this.#leave())
      return listen(outgoing, listener)
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}

/** Asks for another protocol on a connection that nothing else uses. */
export function upgradeOver(socket: TLSSocket, request: UpstreamRequest, protocol: string): Promise<UpgradeOutcome> {
  const headers = [...toHttp1(request), 'Connection', 'Upgrade', 'Upgrade', protocol]
  const outgoing = open({ createConnection: () => socket, method: 'GET', path: request.target, headers })
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.once('close', () => reject(new Error('closed')))
    outgoing.once('upgrade', (reply: IncomingMessage, upgraded, first) => {
      resolve({ upgraded: true, head: { ...readHead(reply), headers: reply.rawHeaders }, socket: upgraded, first })
    })
    outgoing.once('response', (reply: IncomingMessage) => {
      resolve({ upgraded: false, head: readHead(reply), body: toBody(reply) })
    })
    outgoing.end()
  })
}

function open(options: Omit<ClientRequestArgs, 'headers'> & { readonly headers: readonly string[] }): ClientRequest {
  try {
    return httpRequest({
      ...options,
      // Names and values in turn: the declared type does not know this form.
      headers: Object.assign([...options.headers]),
      maxHeaderSize: MAX_HEADER_BYTES,
      setHost: false,
    })
  } catch (error) {
    throw invalidRequest('the request cannot be sent over HTTP/1.1', 'invalid_request_head', error)
  }
}

function toHttp1({ authority, headers, hasBody, method }: UpstreamRequest): string[] {
  const complete = ['Host', authority, ...joinCookies(headers)]
  const hasLength = listValues(headers, 'content-length').length > 0
  if (hasBody && !hasLength) complete.push('Transfer-Encoding', 'chunked')
  // Node would announce a body in chunks.
  if (!hasBody && !hasLength && /^(POST|PUT|PATCH)$/.test(method)) complete.push('Content-Length', '0')
  return complete
}

function readHead(reply: IncomingMessage): ReplyHead {
  return {
    status: reply.statusCode ?? 0,
    statusText: reply.statusMessage,
    headers: keepEndToEnd(reply.rawHeaders),
  }
}

function toBody(reply: IncomingMessage) {
  return { stream: reply, trailers: () => reply.rawTrailers }
}

function listen(outgoing: ClientRequest, listener: ReplyListener): UpstreamExchange {
  let hasReply = false
  let seen = 0
  outgoing.on('information', ({ statusCode, statusMessage, rawHeaders }) => {
    seen += 1
    if (seen > MAX_INFORMATION) outgoing.destroy(new Error('too many informational replies'))
    else listener.information({ status: statusCode, statusText: statusMessage, headers: keepEndToEnd(rawHeaders) })
  })
  outgoing.once('response', (reply: IncomingMessage) => {
    hasReply = true
    listener.reply(readHead(reply), toBody(reply))
  })
  outgoing.on('error', (error) => {
    if (hasReply) return
    hasReply = true
    // The host closed a kept connection while the request was on its way.
    listener.fail(error, outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET')
  })
  return {
    protocol: 'http/1.1',
    stream: outgoing,
    setTrailers: (trailers) => addTrailers(outgoing, trailers),
    abort: () => void outgoing.destroy(),
  }
}

function addTrailers(outgoing: ClientRequest, trailers: RawHeaders): void {
  const pairs: [string, string][] = []
  forEachHeader(trailers, (_, value, name) => pairs.push([name, value]))
  if (pairs.length > 0) outgoing.addTrailers(pairs)
}
