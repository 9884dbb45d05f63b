import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Http1Reader } from '../client/h1.ts'
import { readHttp2 } from '../client/h2.ts'
import type { ClientRequest } from '../client/request.ts'
import type { TlsAcceptor } from '../client/tls-acceptor.ts'
import { Exchange } from '../exchange/exchange.ts'
import { bracketed, canonicalHost, type HostAndPort } from '../hosts/host.ts'
import { isListed } from '../hosts/is-listed.ts'
import type { HostPolicy, HostRules } from '../ports.ts'
import type { ProxyParts } from '../proxy-parts.ts'
import { createUpstreamConnections } from '../upstream/connections.ts'
import type { Dialer } from '../upstream/dial.ts'

/** Options of {@link interceptConnection}. */
export interface InterceptOptions {
  readonly shared: ProxyParts
  readonly connectionId: string
  readonly target: HostAndPort
  readonly acceptor: TlsAcceptor
  readonly policy: HostPolicy
  /** The rules when the connection began. */
  readonly rules: HostRules
  readonly dialer: Dialer
  readonly http1: Http1Reader
}

/** An intercepted connection. */
export interface Interception {
  /** Ends the connection once its running requests have. */
  drain(): void
  destroy(): void
}

/** Speaks TLS with the client as the host would, and relays its requests. */
export function interceptConnection(socket: Socket, options: InterceptOptions): Interception {
  const { shared, connectionId, target, acceptor, policy, dialer, http1 } = options
  const { host, port } = target
  const authority = port === 443 ? bracketed(host) : `${bracketed(host)}:${port}`
  const upstream = createUpstreamConnections(target, dialer)
  let { rules } = options
  let session: ServerHttp2Session | undefined
  let isSecure = false
  let isDraining = false
  let running = 0

  function findRules(): HostRules {
    rules = policy.find(host) ?? rules
    return rules
  }

  async function serve(request: ClientRequest, isMisdirected: boolean): Promise<void> {
    running += 1
    await new Exchange({ shared, connectionId, target, authority, isMisdirected, upstream, findRules }, request).run()
    running -= 1
    if (isDraining) drain()
  }

  function begin(tls: TLSSocket): void {
    isSecure = true
    tls.on('error', () => tls.destroy())
    const isMisdirected = reportServerName(tls)
    if (tls.alpnProtocol === 'h2') {
      session = readHttp2(tls, shared.limits, (request) => void serve(request, isMisdirected))
    } else http1.read(tls, (request) => serve(request, isMisdirected))
  }

  /** @returns whether the client asked TLS for another host than CONNECT */
  function reportServerName(tls: TLSSocket): boolean {
    const { servername: serverName } = tls
    if (typeof serverName !== 'string' || serverName === '') return false
    const canonical = canonicalHost(serverName)
    if (canonical === host) return false
    const name = canonical ?? serverName
    const listed = isListed(policy, canonical)
    shared.onEvent({
      type: 'server-name-mismatch',
      connectionId,
      host,
      port,
      serverName: name,
      listed,
      closed: false,
    })
    return true
  }

  function drain(): void {
    isDraining = true
    if (session !== undefined) session.close()
    else if (running === 0) socket.destroy()
  }

  let reason: 'timeout' | 'refused' = 'refused'
  socket.once('close', () => {
    if (!isSecure) shared.onEvent({ type: 'handshake-failed', connectionId, host, port, reason })
    upstream.close()
  })
  // The end of the client's side ends the connection: that is how a cancelled request shows.
  socket.allowHalfOpen = false
  acceptor.accept(socket, host, {
    secure: begin,
    timeout() {
      reason = 'timeout'
    },
  })
  return { drain, destroy: () => void socket.destroy() }
}
