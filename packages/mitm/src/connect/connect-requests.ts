import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SvcError, toSvcError } from '@svc/errors'
import type { Http1Reader } from '../client/h1.ts'
import type { TlsAcceptor } from '../client/tls-acceptor.ts'
import { invalidRequest, MitmError, toStatus } from '../errors.ts'
import type { ConnectionFields } from '../events.ts'
import { checkHops, HOP_HEADER } from '../hops.ts'
import { type HostAndPort, readHostAndPort } from '../hosts/host.ts'
import type { HostRules } from '../ports.ts'
import { createRefusal, endWithRefusal, type Refusal } from '../refusal.ts'
import { writeEstablished } from './established.ts'
import { type Interception, interceptConnection } from './intercept.ts'
import { type OpenTunnelOptions, openTunnel } from './open-tunnel.ts'

/** Parts of a proxy that serve its requests. */
export interface ConnectOptions extends OpenTunnelOptions {
  readonly acceptor: TlsAcceptor
  readonly http1: Http1Reader
}

/** Serves the requests to the listener of a proxy: CONNECT. It refuses all others. */
export class ConnectRequests {
  readonly #options: ConnectOptions
  readonly #interceptions = new Set<Interception>()
  #total = 0
  #active = 0
  #isClosing = false

  constructor(options: ConnectOptions) {
    this.#options = options
  }

  /** CONNECT requests since the start. */
  get total(): number {
    return this.#total
  }

  /** Intercepted connections at the moment. */
  get intercepted(): number {
    return this.#interceptions.size
  }

  async serve(request: IncomingMessage, duplex: Duplex, head: Buffer): Promise<void> {
    // The server of `node:http` over TCP: its connections are sockets.
    const socket = duplex as Socket
    this.#total += 1
    this.#active += 1
    const connectionId = String(this.#total)
    socket.once('close', () => {
      this.#active -= 1
    })
    socket.on('error', () => socket.destroy())
    let target: HostAndPort | undefined
    try {
      target = readTarget(request)
      this.#checkRoom(request)
      if (head.length > 0) socket.unshift(head)
      const connection = { connectionId, ...target }
      const rules = this.#options.policy.find(target.host)
      if (rules === undefined) await openTunnel(socket, connection, this.#options)
      else await this.#intercept(socket, connection, rules)
    } catch (error) {
      if (socket.destroyed) return
      endWithRefusal(socket, this.#makeRefusal(SvcError.is(error) ? error : toSvcError(error), request, target))
    }
  }

  /** Answers a request of another method. */
  refuse(request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.#makeRefusal(onlyConnect(), request)
    response.writeHead(refusal.status, [...refusal.headers, 'allow', 'CONNECT', 'connection', 'close'])
    response.end(refusal.body)
  }

  /** Answers bytes that cannot be read as a request. */
  refuseBytes(duplex: Duplex): void {
    endWithRefusal(duplex, this.#makeRefusal(notConnect()))
  }

  /** Refuses further requests, and ends intercepted connections once their running requests have ended. */
  drain(): void {
    this.#isClosing = true
    for (const interception of this.#interceptions) interception.drain()
  }

  destroy(): void {
    for (const interception of this.#interceptions) interception.destroy()
  }

  #checkRoom({ headers }: IncomingMessage): void {
    if (this.#isClosing || this.#active > this.#options.shared.limits.connections) {
      throw new MitmError('unavailable', 'the proxy has too many connections', {
        code: 'mitm_connections_full',
        retryAfterMs: 1000,
      })
    }
    const hops = headers[HOP_HEADER]
    checkHops(typeof hops === 'string' ? hops : undefined, 'the connection has passed too many servers')
  }

  async #intercept(socket: Socket, connection: ConnectionFields, rules: HostRules): Promise<void> {
    const { shared, dialer } = this.#options
    const { connectionId, ...target } = connection
    await dialer.check(target)
    if (socket.destroyed) return
    shared.onEvent({ type: 'connect', ...connection, intercepted: true })
    socket.setNoDelay(true)
    writeEstablished(socket)
    const interception = interceptConnection(socket, { ...this.#options, connectionId, target, rules })
    this.#interceptions.add(interception)
    socket.once('close', () => this.#interceptions.delete(interception))
  }

  #makeRefusal(error: SvcError, request?: IncomingMessage, target?: HostAndPort): Refusal {
    this.#options.shared.onEvent({ type: 'refused', status: toStatus(error), code: error.code, host: target?.host })
    const correlationId = request?.headers['x-correlation-id']
    return createRefusal(error, undefined, {
      correlationId: typeof correlationId === 'string' ? correlationId : String(this.#total),
    })
  }
}

function readTarget({ url = '' }: IncomingMessage): HostAndPort {
  const target = readHostAndPort(url)
  if (target === undefined) throw invalidRequest('CONNECT needs a host and a port, such as host.example:443')
  return target
}

function onlyConnect(): MitmError {
  return new MitmError('method_not_allowed', 'this proxy takes CONNECT requests only', { code: 'method_not_allowed' })
}

function notConnect(): MitmError {
  return invalidRequest('this is no CONNECT request of HTTP/1.1')
}
