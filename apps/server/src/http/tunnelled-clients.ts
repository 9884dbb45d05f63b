import type { Socket } from 'node:net'

/** One end of a connection, as the server sees its other end. */
export interface RemoteEnd {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
}

/**
 * Connections from this machine that carry requests of others, such as those of members of a peer-to-peer network. Their
 * address says nothing of their clients.
 */
export interface TunnelledClients {
  /** Notes a connected socket until it closes. @param client a name of the client that is never an address */
  note(socket: Socket, client: string): void
  /** The client of a connection; undefined for one that comes through no tunnel. */
  find(end: RemoteEnd): string | undefined
}

/** Creates an empty list. */
export function createTunnelledClients(): TunnelledClients {
  const clients = new Map<string, string>()
  return {
    note(socket, client) {
      const end = nameEnd(socket.localAddress, socket.localPort)
      clients.set(end, client)
      socket.once('close', () => clients.delete(end))
    },
    find: ({ remoteAddress, remotePort }) =>
      clients.size === 0 || remotePort === undefined ? undefined : clients.get(nameEnd(remoteAddress, remotePort)),
  }
}

/** A server of both families sees IPv4 addresses as IPv6. */
function nameEnd(address: string | undefined, port: number | undefined): string {
  return `${address?.replace(/^::ffff:/i, '')} ${port}`
}
