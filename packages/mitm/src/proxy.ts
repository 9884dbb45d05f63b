import { lookup as systemLookup } from 'node:dns'
import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { AddressInfo, LookupFunction, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkArgument, SvcError, toSvcError } from '@svc/errors'
import { createTrust, type WayOut } from '@svc/http-client'
import { endConnection } from '@svc/http-reader'
import type { Authority } from './certificates/authority.ts'
import { createHttp1Reader } from './client/h1.ts'
import { createTlsAcceptor } from './client/tls-acceptor.ts'
import { type Interception, interceptConnection } from './connect/intercept.ts'
import { runTunnel } from './connect/tunnel.ts'
import { invalidRequest, MitmError, toStatus } from './errors.ts'
import type { MitmEvent } from './events.ts'
import { canonicalHost, type HostAndPort, readHostAndPort } from './hosts/host.ts'
import { isListed } from './hosts/is-listed.ts'
import { ByteBudget } from './limits/byte-budget.ts'
import { Deadlines } from './limits/deadlines.ts'
import { type GivenLimits, type Limits, resolveLimits } from './limits/limits.ts'
import type { HostPolicy, HostRules } from './ports.ts'
import { createRefusal } from './refusal.ts'
import type { Listener } from './upstream/destination.ts'
import { createDialer } from './upstream/dial.ts'

/** Options of {@link startMitmProxy}. */
export interface MitmProxyOptions {
  readonly authority: Authority
  /** Says which hosts are intercepted, and how their requests are filtered. */
  readonly policy: HostPolicy
  /** The address to listen on. @default '127.0.0.1' */
  readonly address?: string | undefined
  /** @default 0: a free port */
  readonly port?: number | undefined
  /** Authorities that hosts are verified with, PEM. @default those of Node */
  readonly trustedAuthorities?: string | readonly string[] | undefined
  /** Closes tunnels whose TLS name differs from their target, instead of only reporting them. @default false */
  readonly strict?: boolean | undefined
  /** Says which hosts are reached through another proxy. @default none */
  readonly wayOut?: WayOut | undefined
  /** Servers of this machine that no connection may lead to, besides the proxy itself. */
  readonly ownListeners?: (() => readonly Listener[]) | undefined
  /** @default the look-up of the system */
  readonly lookup?: LookupFunction | undefined
  readonly limits?: GivenLimits | undefined
  /** Called for everything that an operator may have to account for. The proxy drops errors that it throws. */
  readonly onEvent?: ((event: MitmEvent) => void) | undefined
}

/** Connections and requests at the moment, and since the start. */
export interface MitmCounts {
  readonly tunnels: number
  readonly intercepted: number
  /** CONNECT requests since the start, and the refused ones among them. */
  readonly connects: number
  readonly refused: number
  /** Requests on intercepted connections since the start, and those among them that a filter blocked. */
  readonly requests: number
  readonly blocked: number
  /** Bytes of bodies held for scanning and restoring. */
  readonly bufferedBytes: number
}

/** A running proxy. */
export interface MitmProxy extends AsyncDisposable {
  readonly address: string
  readonly port: number
  /** Whether machines other than this one may reach the proxy, which asks for no credentials. */
  readonly isExposed: boolean
  readonly counts: MitmCounts
  /**
   * Stops listening and ends all connections.
   *
   * @param options.graceMs how long running requests and tunnels may go on @default 0
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>
}

/** A request to the listener holds a target and a few headers. */
const MAX_CONNECT_HEADER_BYTES = 16 * 1024
/** How often connections that send no request are looked for. */
const CHECK_MS = 500
/** Connections beyond the limit, so that a refusal can be read. */
const SPARE_CONNECTIONS = 256
const MAX_HOPS = 4

/**
 * Starts the proxy. CONNECT requests for listed hosts are intercepted; all others are tunnelled. A host that has no
 * trusted certificate answers each request with 502.
 *
 * @throws {SvcError} `mitm_listen_failed`, kind `unavailable`; `invalid_argument`
 */
export async function startMitmProxy(options: MitmProxyOptions): Promise<MitmProxy> {
  const { authority, policy } = options ?? {}
  checkArgument(typeof policy?.find === 'function', 'startMitmProxy: policy', 'a HostPolicy', policy)
  checkArgument(typeof authority?.issueLeaf === 'function', 'startMitmProxy: authority', 'an Authority', authority)
  const proxy = new RunningProxy(options)
  await proxy.listen(options.port ?? 0, options.address ?? '127.0.0.1')
  return proxy
}

class RunningProxy implements MitmProxy {
  readonly #options: MitmProxyOptions
  readonly #limits: Limits
  readonly #deadlines = new Deadlines()
  readonly #budget: ByteBudget
  readonly #http1
  readonly #dialer
  readonly #acceptor
  readonly #server
  readonly #sockets = new Set<Socket>()
  readonly #interceptions = new Set<Interception>()
  readonly #ended = new AbortController()
  #tunnels = 0
  #active = 0
  #connects = 0
  #refused = 0
  #requests = 0
  #blocked = 0
  #isClosing = false
  address = ''
  port = 0

  constructor(options: MitmProxyOptions) {
    this.#options = options
    this.#limits = resolveLimits(options.limits)
    this.#budget = new ByteBudget(this.#limits.bufferedBytes)
    this.#http1 = createHttp1Reader(this.#limits)
    this.#acceptor = createTlsAcceptor(options.authority, this.#limits.handshakeMs)
    this.#dialer = createDialer({
      lookup: options.lookup ?? systemLookup,
      wayOut: options.wayOut,
      trust: createTrust(options.trustedAuthorities),
      listeners: () => this.#listListeners(),
      connectMs: this.#limits.connectMs,
    })
    this.#server = createServer({
      maxHeaderSize: MAX_CONNECT_HEADER_BYTES,
      headersTimeout: this.#limits.askMs,
      requestTimeout: this.#limits.askMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, this.#limits.askMs),
      keepAliveTimeout: this.#limits.askMs,
    })
    this.#server.maxConnections = this.#limits.connections + SPARE_CONNECTIONS
    this.#server.on('connection', (socket) => this.#track(socket))
    this.#server.on('connect', (request, socket, head) => void this.#connect(request, socket, head))
    this.#server.on('request', (request, response) => {
      const refusal = this.#makeRefusal(onlyConnect(), request)
      response.writeHead(refusal.status, [...refusal.headers, 'allow', 'CONNECT', 'connection', 'close'])
      response.end(refusal.body)
    })
    this.#server.on('clientError', (_error, socket) => endWith(socket, this.#makeRefusal(notConnect())))
  }

  async listen(port: number, address: string): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject)
        this.#server.listen({ port, host: address }, () => {
          this.#server.removeListener('error', reject)
          resolve()
        })
      })
    } catch (error) {
      throw new MitmError('unavailable', `the intercepting proxy cannot listen on ${address}, port ${port}`, {
        code: 'mitm_listen_failed',
        cause: error,
      })
    }
    const bound = this.#server.address()
    if (bound === null || typeof bound === 'string') throw new Error('the listener has no address')
    this.#adopt(bound)
  }

  #adopt(bound: AddressInfo): void {
    this.address = bound.address
    this.port = bound.port
  }

  get isExposed(): boolean {
    return !/^(127\.|::1$|::ffff:127\.)/.test(this.address)
  }

  get counts(): MitmCounts {
    return {
      tunnels: this.#tunnels,
      intercepted: this.#interceptions.size,
      connects: this.#connects,
      refused: this.#refused,
      requests: this.#requests,
      blocked: this.#blocked,
      bufferedBytes: this.#budget.usedBytes,
    }
  }

  async close({ graceMs = 0 }: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    this.#isClosing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const interception of this.#interceptions) interception.drain()
    const timer = setTimeout(() => this.#destroyAll(), graceMs)
    await closed
    clearTimeout(timer)
    this.#destroyAll()
    this.#http1.close()
    this.#deadlines.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #destroyAll(): void {
    this.#ended.abort(new SvcError('cancelled', 'the proxy was closed'))
    for (const interception of this.#interceptions) interception.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #listListeners(): readonly Listener[] {
    return [{ address: this.address, port: this.port }, ...(this.#options.ownListeners?.() ?? [])]
  }

  async #connect(request: IncomingMessage, duplex: Duplex, head: Buffer): Promise<void> {
    // The server of `node:http` over TCP: its connections are sockets.
    const socket = duplex as Socket
    this.#connects += 1
    this.#active += 1
    socket.once('close', () => {
      this.#active -= 1
    })
    socket.on('error', () => socket.destroy())
    let target: HostAndPort | undefined
    try {
      target = readTarget(request)
      this.#checkRoom(request)
      if (head.length > 0) socket.unshift(head)
      const rules = this.#options.policy.find(target.host)
      if (rules === undefined) await this.#tunnel(socket, target)
      else await this.#intercept(socket, target, rules)
    } catch (error) {
      if (!socket.destroyed)
        endWith(socket, this.#makeRefusal(SvcError.is(error) ? error : toSvcError(error), request, target))
    }
  }

  #checkRoom({ headers }: IncomingMessage): void {
    if (this.#isClosing || this.#active > this.#limits.connections) {
      throw new MitmError('unavailable', 'the proxy has too many connections', {
        code: 'mitm_connections_full',
        retryAfterMs: 1000,
      })
    }
    if (Number(headers['x-svc-hop'] ?? 0) >= MAX_HOPS) {
      throw new MitmError('loop', 'the connection has passed too many servers', { code: 'proxy_loop' })
    }
  }

  async #tunnel(socket: Socket, target: HostAndPort): Promise<void> {
    const connectionId = this.#makeId()
    const gone = new AbortController()
    const leave = (): void => gone.abort(new SvcError('cancelled', 'the client left'))
    socket.once('close', leave)
    const host = await this.#dialer.dialTcp(target, { signal: gone.signal })
    socket.removeListener('close', leave)
    this.#tunnels += 1
    const begun = performance.now()
    this.#emit({ type: 'connect', connectionId, ...target, intercepted: false })
    socket.write(ESTABLISHED)
    runTunnel(socket, host, {
      idleMs: this.#limits.idleMs,
      holdsHello: this.#options.strict === true,
      onServerName: (name) => this.#checkServerName(name, target, connectionId),
      onEnd: ({ sent, received }) => {
        this.#tunnels -= 1
        const durationMs = performance.now() - begun
        this.#emit({
          type: 'tunnel-end',
          connectionId,
          ...target,
          bytesSent: sent,
          bytesReceived: received,
          durationMs,
        })
      },
    })
  }

  /** A name counts when it is that of a listed host, or differs from the name of the target. */
  #checkServerName(serverName: string, target: HostAndPort, connectionId: string): boolean {
    const host = canonicalHost(serverName)
    const name = host ?? serverName
    const listed = isListed(this.#options.policy, host)
    const isAddress = /^[\d.]+$|:/.test(target.host)
    if (name === target.host || (isAddress && !listed)) return true
    const closed = this.#options.strict === true
    this.#emit({ type: 'server-name-mismatch', connectionId, ...target, serverName: name, listed, closed })
    return !closed
  }

  async #intercept(socket: Socket, target: HostAndPort, rules: HostRules): Promise<void> {
    await this.#dialer.check(target)
    if (socket.destroyed) return
    const connectionId = this.#makeId()
    this.#emit({ type: 'connect', connectionId, ...target, intercepted: true })
    socket.setNoDelay(true)
    socket.write(ESTABLISHED)
    const interception = interceptConnection(socket, {
      shared: {
        limits: this.#limits,
        budget: this.#budget,
        deadlines: this.#deadlines,
        onEvent: (event) => this.#emit(event),
      },
      connectionId,
      target,
      acceptor: this.#acceptor,
      policy: this.#options.policy,
      rules,
      dialer: this.#dialer,
      http1: this.#http1,
    })
    this.#interceptions.add(interception)
    socket.once('close', () => this.#interceptions.delete(interception))
  }

  #makeId(): string {
    return String(this.#connects)
  }

  #makeRefusal(error: SvcError, request?: IncomingMessage, target?: HostAndPort) {
    this.#refused += 1
    this.#emit({ type: 'refused', status: toStatus(error), code: error.code, host: target?.host })
    const correlationId = request?.headers['x-correlation-id']
    return createRefusal(error, undefined, {
      correlationId: typeof correlationId === 'string' ? correlationId : this.#makeId(),
    })
  }

  #emit(event: MitmEvent): void {
    if (event.type === 'traffic') {
      this.#requests += 1
      if (event.outcome === 'blocked') this.#blocked += 1
    }
    try {
      this.#options.onEvent?.(event)
    } catch {
      // Events come from sockets: an error would end the process.
    }
  }
}

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n'

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

/** Sends a refusal as the last bytes of a connection. */
function endWith(duplex: Duplex, { status, headers, body }: ReturnType<typeof createRefusal>): void {
  // The server of `node:http` over TCP: its connections are sockets.
  const socket = duplex as Socket
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`]
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  endConnection(socket, `${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body.toString('latin1')}`)
}
