import type { Socket } from 'node:net'
import { SvcError } from '@svc/errors'
import type { ConnectionFields } from '../events.ts'
import { canonicalHost } from '../hosts/host.ts'
import { isListed } from '../hosts/is-listed.ts'
import type { HostPolicy } from '../ports.ts'
import type { ProxyParts } from '../proxy-parts.ts'
import type { Dialer } from '../upstream/dial.ts'
import { writeEstablished } from './established.ts'
import { runTunnel } from './tunnel.ts'

/** Options of {@link openTunnel}. */
export interface OpenTunnelOptions {
  readonly shared: ProxyParts
  readonly policy: HostPolicy
  readonly dialer: Dialer
  /** Closes tunnels whose TLS name differs from their target. */
  readonly isStrict: boolean
}

/**
 * Connects a client to its target. Resolves when the tunnel runs.
 *
 * @throws {SvcError} for a target that cannot be reached
 */
export async function openTunnel(
  socket: Socket,
  connection: ConnectionFields,
  { shared, policy, dialer, isStrict }: OpenTunnelOptions,
): Promise<void> {
  const { limits, onEvent } = shared
  const { host, port } = connection
  const gone = new AbortController()
  const leave = (): void => gone.abort(new SvcError('cancelled', 'the client left'))
  socket.once('close', leave)
  const upstream = await dialer.dialTcp({ host, port }, { signal: gone.signal })
  socket.removeListener('close', leave)
  const begun = performance.now()
  onEvent({ type: 'connect', ...connection, intercepted: false })
  writeEstablished(socket)
  runTunnel(socket, upstream, {
    idleMs: limits.idleMs,
    holdsHello: isStrict,
    onServerName(serverName) {
      const name = findMismatch(serverName, connection, policy)
      if (name === undefined) return true
      onEvent({ type: 'server-name-mismatch', ...connection, ...name, closed: isStrict })
      return !isStrict
    },
    onEnd({ sent, received }) {
      const durationMs = performance.now() - begun
      onEvent({ type: 'tunnel-end', ...connection, bytesSent: sent, bytesReceived: received, durationMs })
    },
  })
}

/** A name counts when it is that of a listed host, or differs from the name of the target. */
function findMismatch(
  serverName: string,
  target: Pick<ConnectionFields, 'host'>,
  policy: HostPolicy,
): { readonly serverName: string; readonly listed: boolean } | undefined {
  const host = canonicalHost(serverName)
  const name = host ?? serverName
  const listed = isListed(policy, host)
  const isAddress = /^[\d.]+$|:/.test(target.host)
  return name === target.host || (isAddress && !listed) ? undefined : { serverName: name, listed }
}
