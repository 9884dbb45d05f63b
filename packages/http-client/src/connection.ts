import { connect as connectTcp, isIP, type LookupFunction, type OnReadOpts, Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import type { ForwardProxy } from './way-out/forward-proxy.ts'
import { connectToProxy, openTunnel } from './way-out/tunnel.ts'
import { toDestination, type WayOut } from './way-out/way-out.ts'

/** Target of a connection: scheme, host and port. */
export interface Origin {
  /** Identity, such as `https://api.example:443`. */
  readonly key: string
  readonly isTls: boolean
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
}

/** The origin of a URL. */
export function toOrigin(url: URL): Origin {
  const destination = toDestination(url)
  return { ...destination, key: `${url.protocol}//${url.hostname}:${destination.port}` }
}

/** Options of connections. */
export interface ConnectionSettings {
  /**
   * Authorities to trust instead of Node's own. All connections share one context, because creating it reads every
   * certificate.
   */
  readonly trust?: (() => SecureContext) | undefined
  /** Says which origins are reached through a proxy. */
  readonly wayOut?: WayOut | undefined
  /** Resolves names and may refuse addresses. Not called for addresses, and not for origins behind a proxy. */
  readonly lookup?: LookupFunction | undefined
  /** Read buffer that all sockets of the pool share. Its content is valid only during the read. */
  readonly readBuffer: Buffer
  /** The last TLS session of each origin, for a short handshake. */
  readonly sessions: Map<string, Buffer>
}

/** The current user of a connection: one request, from its first byte to the last of its reply. */
export interface ConnectionUser {
  /** Reports bytes; they are valid until this returns. */
  onRead(buffer: Buffer, end: number): void
  /** Reports the end of the connection: regular (`undefined`) or with an error. */
  onGone(error: Error | undefined): void
}

/** The owner of a connection while no request uses it. */
export interface ConnectionOwner {
  onReady(connection: Connection): void
  /** The connection closed while connecting or idle, or is not reusable after a request. */
  onClosed(connection: Connection, error: Error | undefined): void
}

const KEEP_ALIVE_PROBE_MS = 30_000

/**
 * One socket to an origin. Over TLS it is ready only after the certificate was verified: no byte of a request leaves
 * before.
 */
export class Connection {
  readonly origin: Origin
  /** Not connected until the way through a proxy is found and a tunnel is open. */
  socket: Socket
  /** The proxy that requests are sent to in place of their upstream. */
  forwarder: ForwardProxy | undefined
  user: ConnectionUser | undefined
  /** Number of requests answered over it. */
  served = 0
  /** Monotonic milliseconds; the connection is not used again from then on. */
  idleUntil = Number.POSITIVE_INFINITY
  isReady = false
  readonly #owner: ConnectionOwner
  readonly #sessions: Map<string, Buffer>
  #error: Error | undefined
  #isGone = false
  /** Aborted when the connection ends before it has its socket. */
  #dialling: AbortController | undefined

  constructor(origin: Origin, settings: ConnectionSettings, owner: ConnectionOwner) {
    this.origin = origin
    this.#owner = owner
    this.#sessions = settings.sessions
    const { wayOut } = settings
    if (wayOut?.find(origin) === undefined) {
      this.socket = openDirectly(origin, settings, (end) => this.#onRead(settings.readBuffer, end))
      this.#listen(origin.isTls)
      return
    }
    this.socket = new Socket()
    const dialling = new AbortController()
    this.#dialling = dialling
    this.#dial(wayOut, settings, dialling.signal).catch((error: unknown) => {
      this.#gone(error instanceof Error ? error : new Error(String(error)))
    })
  }

  /** Whether a request may be written to it. */
  get isUsable(): boolean {
    return this.isReady && !this.#isGone && !this.socket.destroyed && this.socket.writable
  }

  /** Closes at once. */
  destroy(): void {
    this.#dialling?.abort()
    this.socket.destroy()
  }

  /** Takes the way through a proxy: a tunnel for TLS, else the proxy in place of the origin. */
  async #dial(wayOut: WayOut, settings: ConnectionSettings, signal: AbortSignal): Promise<void> {
    const { origin } = this
    const { proxy, lookup } = await wayOut.choose(origin, { signal })
    signal.throwIfAborted()
    if (proxy === undefined) {
      const own = { ...settings, lookup: settings.lookup ?? lookup }
      this.socket = openDirectly(origin, own, (end) => this.#onRead(settings.readBuffer, end))
      this.#listen(origin.isTls)
      return
    }
    if (!origin.isTls) {
      this.forwarder = proxy
      this.socket = connectToProxy(proxy, settings)
      this.#readEvents()
      this.#listen(proxy.isTls)
      return
    }
    const tunnel = await openTunnel(proxy, origin, { trust: settings.trust, signal })
    if (signal.aborted) tunnel.destroy()
    signal.throwIfAborted()
    this.socket = openTls(origin, settings, undefined, tunnel)
    this.#readEvents()
    this.#listen(true)
  }

  /** Reads a socket that has no buffer of its own. */
  #readEvents(): void {
    this.socket.on('data', (bytes: Buffer) => this.#onRead(bytes, bytes.length))
  }

  /** @param isTls whether the socket itself speaks TLS, with the origin or with a proxy */
  #listen(isTls: boolean): void {
    const { socket, origin } = this
    socket.on(isTls ? 'secureConnect' : 'connect', () => {
      this.isReady = true
      this.#owner.onReady(this)
    })
    socket.on('error', (error) => {
      this.#error = error
    })
    socket.on('end', () => this.#gone(undefined))
    socket.on('close', () => this.#gone(this.#error))
    if (origin.isTls) {
      socket.on('session', (session: Buffer) => {
        this.#sessions.delete(origin.key)
        this.#sessions.set(origin.key, session)
      })
    }
  }

  #onRead(buffer: Buffer, end: number): boolean {
    // Without a request, incoming bytes cannot be the reply to a later one.
    if (this.user === undefined) this.destroy()
    else this.user.onRead(buffer, end)
    return true
  }

  #gone(error: Error | undefined): void {
    if (this.#isGone) return
    this.#isGone = true
    const { user } = this
    this.user = undefined
    this.socket.destroy()
    this.#owner.onClosed(this, error)
    user?.onGone(error)
  }
}

function openDirectly(origin: Origin, settings: ConnectionSettings, onRead: OnReadOpts['callback']): Socket {
  const onread: OnReadOpts = { buffer: settings.readBuffer, callback: onRead }
  return origin.isTls ? openTls(origin, settings, onread) : openTcp(origin, settings, onread)
}

function openTcp(origin: Origin, { lookup }: ConnectionSettings, onread: OnReadOpts): Socket {
  const { host, port } = origin
  return connectTcp({
    host,
    port,
    onread,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    autoSelectFamily: true,
    ...(lookup === undefined ? {} : { lookup }),
  })
}

/** @param tunnel an open connection to the origin */
function openTls(
  origin: Origin,
  settings: ConnectionSettings,
  onread: OnReadOpts | undefined,
  tunnel?: Socket,
): TLSSocket {
  const { host, port } = origin
  const session = settings.sessions.get(origin.key)
  const options: ConnectionOptions & { onread?: OnReadOpts; autoSelectFamily: boolean } = {
    ...(tunnel === undefined ? { host, port } : { socket: tunnel }),
    ...(onread === undefined ? {} : { onread }),
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    autoSelectFamily: true,
    ...(settings.trust === undefined ? {} : { secureContext: settings.trust() }),
    ...(settings.lookup === undefined ? {} : { lookup: settings.lookup }),
    ...(session === undefined ? {} : { session }),
  }
  const socket = connectTls(options)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
  return socket
}
