import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** The connections that the servers of this process have accepted on a port. */
export interface AcceptedSockets {
  /** In the order of their arrival, closed ones included. */
  readonly sockets: readonly Socket[]
  close(): void
}

/** Watches a port, for any listener in this process. */
export function watchAccepted(port: number): AcceptedSockets {
  const sockets: Socket[] = []
  const onAccepted = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }
    if (socket.localPort === port) sockets.push(socket)
  }
  subscribe('net.server.socket', onAccepted)
  return { sockets, close: () => void unsubscribe('net.server.socket', onAccepted) }
}
