import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import { openTunnel, toUpstreamFailure, type WayOut } from '@svc/http-client'
import { MitmError } from '../errors.ts'
import { isOwnAddress } from '../hosts/addresses.ts'
import type { HostAndPort } from '../hosts/host.ts'
import { LruCache } from '../limits/lru-cache.ts'
import { type Listener, pinLookup, resolveDestination } from './destination.ts'

/** Options of {@link createDialer}. */
export interface DialerOptions {
  readonly lookup: LookupFunction
  readonly trust: (() => SecureContext) | undefined
  /** Says which hosts are reached through another proxy. */
  readonly wayOut: WayOut | undefined
  readonly listeners: () => readonly Listener[]
  /** For name look-up, the tunnel of another proxy, TCP and TLS together. */
  readonly connectMs: number
}

/** Opens connections to hosts, after a check of their addresses. */
export interface Dialer {
  /** Checks a target without a connection. @throws {SvcError} `forbidden_target` */
  check(target: HostAndPort): Promise<void>
  dialTcp(target: HostAndPort, options: { readonly signal: AbortSignal }): Promise<Socket>
  /** Resolves once the certificate of the host is verified. */
  dialTls(
    target: HostAndPort,
    options: { readonly protocols: readonly string[]; readonly signal: AbortSignal },
  ): Promise<TLSSocket>
}

/** Sessions for shorter handshakes, one for each host. */
const MAX_SESSIONS = 1000

export function createDialer({ lookup, trust, wayOut, listeners, connectMs }: DialerOptions): Dialer {
  const tls = createTlsOpener(trust)
  // Clients ask for tunnels, in which they speak TLS.
  const findProxy = (target: HostAndPort) => wayOut?.find({ ...target, isTls: true })

  async function resolve(target: HostAndPort): Promise<readonly LookupAddress[]> {
    try {
      return await resolveDestination(target, { lookup, listeners: listeners() })
    } catch (error) {
      // The other proxy looks the name up itself.
      if (error instanceof MitmError || findProxy(target) === undefined) throw error
      return []
    }
  }

  /** A tunnel through the other proxy; undefined where the host is reached directly. */
  async function dialProxy(
    target: HostAndPort,
    { addresses, signal }: { addresses: readonly LookupAddress[]; signal: AbortSignal },
  ): Promise<Socket | undefined> {
    const isOwn = addresses.length > 0 && addresses.every(({ address }) => isOwnAddress(address))
    const proxy = isOwn ? undefined : findProxy(target)
    if (proxy === undefined) return undefined
    try {
      return await openTunnel(proxy, target, { trust, allowHalfOpen: true, signal })
    } catch (error) {
      throw signal.aborted ? error : toUpstreamFailure(error)
    }
  }

  async function check(target: HostAndPort): Promise<void> {
    try {
      await withinLimit({ ms: connectMs }, (limit) => unlessAborted(resolve(target), limit))
    } catch (error) {
      // An unresolvable host fails where the client expects it: at its request.
      if (error instanceof MitmError) throw error
    }
  }

  function dialTcp(target: HostAndPort, { signal }: { signal: AbortSignal }): Promise<Socket> {
    return withinLimit({ ms: connectMs, signal }, async (limit) => {
      const addresses = await unlessAborted(resolve(target), limit)
      const tunnel = await dialProxy(target, { addresses, signal: limit })
      if (tunnel !== undefined) return tunnel
      const socket = connectTcp({
        host: target.host,
        port: target.port,
        lookup: pinLookup(addresses),
        allowHalfOpen: true,
        noDelay: true,
      })
      await untilOpen(socket, 'connect', limit)
      return socket
    })
  }

  function dialTls(
    target: HostAndPort,
    { protocols, signal }: { protocols: readonly string[]; signal: AbortSignal },
  ): Promise<TLSSocket> {
    return withinLimit({ ms: connectMs, signal }, async (limit) => {
      const addresses = await unlessAborted(resolve(target), limit)
      const tunnel = await dialProxy(target, { addresses, signal: limit })
      const socket = tls.open(target, { addresses, tunnel, protocols })
      try {
        await untilOpen(socket, 'secureConnect', limit)
      } catch (error) {
        tls.forgetSession(target)
        throw error
      }
      socket.setNoDelay(true)
      return socket
    })
  }

  return { check, dialTcp, dialTls }
}

/** Begins connections over TLS. Sessions of a host make its next handshakes shorter. */
function createTlsOpener(trust: DialerOptions['trust']) {
  const sessions = new LruCache<Buffer>(MAX_SESSIONS)
  return {
    /** Forgets the session of a host whose handshake failed. */
    forgetSession(target: HostAndPort): void {
      sessions.delete(toKey(target))
    },
    /** Begins TLS over a tunnel, or over a connection to one of the addresses. */
    open(
      target: HostAndPort,
      {
        addresses,
        tunnel,
        protocols,
      }: {
        readonly addresses: readonly LookupAddress[]
        readonly tunnel: Socket | undefined
        readonly protocols: readonly string[]
      },
    ): TLSSocket {
      const session = sessions.get(toKey(target))
      const context = trust?.()
      const socket = connectTls({
        ...(tunnel === undefined
          ? { host: target.host, port: target.port, lookup: pinLookup(addresses) }
          : { socket: tunnel }),
        servername: isIP(target.host) === 0 ? target.host : '',
        ALPNProtocols: [...protocols],
        // Independent of NODE_TLS_REJECT_UNAUTHORIZED.
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        ...(context === undefined ? {} : { secureContext: context }),
        ...(session === undefined ? {} : { session }),
      })
      socket.on('session', (ticket) => sessions.set(toKey(target), ticket))
      return socket
    },
  }
}

const toKey = ({ host, port }: HostAndPort): string => `${host}:${port}`

function upstreamTimeout(): MitmError {
  return new MitmError('timeout', 'the upstream did not answer in time', {
    code: 'upstream_timeout',
    details: { upstream: true, reason: 'connect' },
  })
}

/** Works with a signal that a limit of time, or the abort of another signal, aborts. */
async function withinLimit<Value>(
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal },
  work: (limit: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(upstreamTimeout()), ms)
  const abort = (): void => ended.abort(signal?.reason)
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await work(ended.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Waits until a socket is open. One that does not open is destroyed. */
async function untilOpen(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  // Errors after the wait belong to the owner of the socket; without a listener they would end the process.
  socket.on('error', () => {})
  const opened = new Promise<void>((resolve, reject) => {
    socket.once(event, () => resolve())
    socket.once('error', (error) => reject(toUpstreamFailure(error)))
    socket.once('close', () => reject(toUpstreamFailure(new Error('closed'))))
  })
  try {
    await unlessAborted(opened, signal)
  } catch (error) {
    socket.destroy()
    throw error
  }
}
