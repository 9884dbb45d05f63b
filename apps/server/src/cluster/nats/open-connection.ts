import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import { listNatsServers } from '../../config/cluster.ts'

/** A JWT of a user and its seed. */
export interface NatsCredentials {
  readonly jwt: string
  readonly seed: string
}

/** PEM files. They are read at each connection, so that renewed ones count. */
export interface NatsTlsFiles {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/** How a server of the bus is reached. */
export interface NatsAddress {
  /**
   * Servers between commas: `nats://host:port`, or `tls://host:port` where the connection must be encrypted. A user and a
   * password, or a token, may stand before the host; those of the first server that has some count for all.
   */
  readonly url: string
  /** Files of TLS. With any of them the connection must be encrypted. */
  readonly tls?: NatsTlsFiles | undefined
  /** Shown by the server's monitoring. */
  readonly name: string
}

/** Longest handshake, milliseconds. */
const CONNECT_MS = 5000
/** Time between two pings, milliseconds. Two that are not answered end the connection. */
const PING_MS = 5000

/**
 * Opens one connection. It is not opened again when it is lost.
 *
 * @throws as the library does, when no server can be used
 */
export async function openConnection(
  address: NatsAddress,
  credentials: NatsCredentials | undefined,
): Promise<NatsConnection> {
  const { connect, jwtAuthenticator } = await import('./nats-library.ts')
  const authenticator =
    credentials === undefined
      ? {}
      : { authenticator: jwtAuthenticator(credentials.jwt, new TextEncoder().encode(credentials.seed)) }
  return connect({
    ...toOptions(address),
    ...authenticator,
    reconnect: false,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    noAsyncTraces: true,
    ignoreClusterUpdates: true,
  })
}

function toOptions({ url, tls, name }: NatsAddress): NodeConnectionOptions {
  const servers = listNatsServers(url).map((server) => new URL(server))
  const { ca, cert, key } = tls ?? {}
  const files = {
    ...(isGiven(ca) ? { caFile: ca } : {}),
    ...(isGiven(cert) ? { certFile: cert } : {}),
    ...(isGiven(key) ? { keyFile: key } : {}),
  }
  const isEncrypted = Object.keys(files).length > 0 || servers.some(({ protocol }) => protocol === 'tls:')
  return {
    name,
    servers: servers.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    ...(isEncrypted ? { tls: files } : {}),
    ...toLogin(servers.find(({ username }) => username !== '')),
  }
}

function toLogin(server: URL | undefined): Pick<NodeConnectionOptions, 'user' | 'pass' | 'token'> {
  if (server === undefined) return {}
  const user = decodeURIComponent(server.username)
  return server.password === '' ? { token: user } : { user, pass: decodeURIComponent(server.password) }
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}
