import { lookup as systemLookup } from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import { checkArgument } from '@svc/errors'
import { createTrust, type WayOut } from '@svc/http-client'
import type { Authority } from './certificates/authority.ts'
import { createHttp1Reader, type Http1Reader } from './client/h1.ts'
import { createTlsAcceptor } from './client/tls-acceptor.ts'
import { ConnectRequests } from './connect/connect-requests.ts'
import { MitmError } from './errors.ts'
import { EventCounter } from './event-counter.ts'
import type { MitmEvent } from './events.ts'
import { ByteBudget } from './limits/byte-budget.ts'
import { Deadlines } from './limits/deadlines.ts'
import { type GivenLimits, type Limits, resolveLimits } from './limits/limits.ts'
import type { HostPolicy } from './ports.ts'
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
  /** Authorities that verify hosts, PEM. @default the authorities of Node */
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
  /** Requests on intercepted connections since the start; `blocked` counts the ones that a filter blocked. */
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
/** Interval of the search for connections that send no request, milliseconds. */
const CHECK_MS = 500
/** Connections beyond the limit, so that a refusal can be read. */
const SPARE_CONNECTIONS = 256

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
  readonly #deadlines = new Deadlines()
  readonly #budget: ByteBudget
  readonly #counter: EventCounter
  readonly #http1: Http1Reader
  readonly #connects: ConnectRequests
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  address = ''
  port = 0

  constructor(options: MitmProxyOptions) {
    const limits = resolveLimits(options.limits)
    this.#budget = new ByteBudget(limits.bufferedBytes)
    this.#counter = new EventCounter(options.onEvent)
    this.#http1 = createHttp1Reader(limits)
    this.#connects = new ConnectRequests({
      shared: {
        limits,
        budget: this.#budget,
        deadlines: this.#deadlines,
        onEvent: (event) => this.#counter.emit(event),
      },
      policy: options.policy,
      isStrict: options.strict === true,
      http1: this.#http1,
      acceptor: createTlsAcceptor(options.authority, limits.handshakeMs),
      dialer: createDialer({
        lookup: options.lookup ?? systemLookup,
        wayOut: options.wayOut,
        trust: createTrust(options.trustedAuthorities),
        listeners: () => [{ address: this.address, port: this.port }, ...(options.ownListeners?.() ?? [])],
        connectMs: limits.connectMs,
      }),
    })
    this.#server = createListener(limits, this.#connects)
    this.#server.on('connection', (socket) => this.#track(socket))
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
    this.address = bound.address
    this.port = bound.port
  }

  get isExposed(): boolean {
    return !/^(127\.|::1$|::ffff:127\.)/.test(this.address)
  }

  get counts(): MitmCounts {
    const { tunnels, refused, requests, blocked } = this.#counter
    return {
      tunnels,
      intercepted: this.#connects.intercepted,
      connects: this.#connects.total,
      refused,
      requests,
      blocked,
      bufferedBytes: this.#budget.usedBytes,
    }
  }

  async close({ graceMs = 0 }: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#connects.drain()
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
    this.#connects.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
  }
}

/** Creates the server of `node:http` whose requests are served. */
function createListener({ askMs, connections }: Limits, connects: ConnectRequests): Server {
  const server = createServer({
    maxHeaderSize: MAX_CONNECT_HEADER_BYTES,
    headersTimeout: askMs,
    requestTimeout: askMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, askMs),
    keepAliveTimeout: askMs,
  })
  server.maxConnections = connections + SPARE_CONNECTIONS
  server.on('connect', (request, socket, head) => void connects.serve(request, socket, head))
  server.on('request', (request, response) => connects.refuse(request, response))
  server.on('clientError', (_error, socket) => connects.refuseBytes(socket))
  return server
}
