import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import { openTunnel, toUpstreamFailure, type WayOut } from '@svc/http-client'
import { isOwnAddress } from './addresses.ts'
import { type Listener, pinLookup, resolveDestination } from './destination.ts'
import { MitmError } from './errors.ts'
import type { HostAndPort } from './host.ts'
import { LruCache } from './lru-cache.ts'

/** Options of {@link createDialer}. */
export interface DialerOptions {
  readonly lookup: LookupFunction
  readonly trust: (() => SecureContext) | undefined
  /** Says which hosts are reached through another proxy. */
  readonly wayOut: WayOut | undefined
  readonly listeners: () => readonly Listener[]
  /** For name look-up, TCP and TLS together. */
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
  const sessions = new LruCache<Buffer>(MAX_SESSIONS)
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
    const ended = new AbortController()
    const limit = { trust, allowHalfOpen: true, signal: AbortSignal.any([signal, ended.signal]) }
    try {
      return await withinLimit(openTunnel(proxy, target, limit), { ms: connectMs, signal })
    } catch (error) {
      throw signal.aborted ? error : toUpstreamFailure(error)
    } finally {
      ended.abort()
    }
  }

  async function check(target: HostAndPort): Promise<void> {
    try {
      await withinLimit(resolve(target), { ms: connectMs, signal: undefined })
    } catch (error) {
      // An unresolvable host fails where the client expects it: at its request.
      if (error instanceof MitmError) throw error
    }
  }

  async function dialTcp(target: HostAndPort, { signal }: { signal: AbortSignal }): Promise<Socket> {
    const addresses = await withinLimit(resolve(target), { ms: connectMs, signal })
    const tunnel = await dialProxy(target, { addresses, signal })
    if (tunnel !== undefined) return tunnel
    const socket = connectTcp({
      host: target.host,
      port: target.port,
      lookup: pinLookup(addresses),
      allowHalfOpen: true,
      noDelay: true,
    })
    await untilOpen(socket, { event: 'connect', ms: connectMs, signal })
    return socket
  }

  async function dialTls(
    target: HostAndPort,
    { protocols, signal }: { protocols: readonly string[]; signal: AbortSignal },
  ): Promise<TLSSocket> {
    const addresses = await withinLimit(resolve(target), { ms: connectMs, signal })
    const key = `${target.host}:${target.port}`
    const session = sessions.get(key)
    const context = trust?.()
    const tunnel = await dialProxy(target, { addresses, signal })
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
    socket.on('session', (ticket) => sessions.set(key, ticket))
    try {
      await untilOpen(socket, { event: 'secureConnect', ms: connectMs, signal })
    } catch (error) {
      sessions.delete(key)
      throw error
    }
    socket.setNoDelay(true)
    return socket
  }
  return { check, dialTcp, dialTls }
}

function upstreamTimeout(): MitmError {
  return new MitmError('timeout', 'the upstream did not answer in time', {
    code: 'upstream_timeout',
    details: { upstream: true, reason: 'connect' },
  })
}

interface Limit {
  readonly ms: number
  readonly signal: AbortSignal | undefined
}

function withinLimit<Value>(work: Promise<Value>, { ms, signal }: Limit): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(upstreamTimeout()), ms)
    const abort = (): void => reject(signal?.reason)
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    })
  })
}

async function untilOpen(
  socket: Socket,
  { event, ms, signal }: Limit & { readonly event: 'connect' | 'secureConnect' },
): Promise<void> {
  // Errors after the wait belong to the owner of the socket; without a listener they would end the process.
  socket.on('error', () => {})
  const opened = new Promise<void>((resolve, reject) => {
    socket.once(event, () => resolve())
    socket.once('error', (error) => reject(toUpstreamFailure(error)))
    socket.once('close', () => reject(toUpstreamFailure(new Error('closed'))))
  })
  try {
    await withinLimit(opened, { ms, signal })
  } catch (error) {
    socket.destroy()
    throw error
  }
}
