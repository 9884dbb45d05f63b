import type { Socket } from 'node:net'
import { type ConnectionHost, type ConnectionPhase, DirectConnection } from './direct-connection.ts'

/** How long connections may stay in a phase, milliseconds. */
export interface ConnectionLimits extends Readonly<Record<ConnectionPhase, number>> {
  /** How long a client may take nothing of a reply that has ended. */
  readonly unread: number
}

/** How often connections are looked at that may have stayed too long. */
const SWEEP_MS = 1000

/** The connections that the server reads itself. */
export interface DirectConnections {
  /** Takes a new connection. */
  accept(socket: Socket): void
  /** The one that has been idle the longest; none when all are in use. */
  findIdle(): Socket | undefined
  /** Ends the idle ones now, the others with their reply. */
  drain(): void
  /** Ends them all. */
  destroy(): void
}

/**
 * Makes the list of connections. Its only clock is a sweep, which costs the same for any number of requests.
 */
export function createDirectConnections(
  host: Pick<ConnectionHost, 'serves' | 'serve' | 'handOver'>,
  limits: ConnectionLimits,
): DirectConnections {
  const connections = new Set<DirectConnection>()
  let sweeps = 0
  let isDraining = false

  const sweeper = setInterval(() => {
    sweeps += 1
    for (const connection of connections) {
      if ((sweeps - connection.since) * SWEEP_MS > limits[connection.phase]) connection.destroy()
    }
  }, SWEEP_MS)
  sweeper.unref()

  const own: ConnectionHost = {
    ...host,
    keepAliveSeconds: Math.floor(limits.idle / 1000),
    unreadMs: limits.unread,
    get isDraining() {
      return isDraining
    },
    moved(connection) {
      connection.since = sweeps
    },
    left: (connection) => connections.delete(connection),
  }

  return {
    accept(socket) {
      const connection = new DirectConnection(socket, own)
      connection.since = sweeps
      connections.add(connection)
    },
    findIdle() {
      let longest: DirectConnection | undefined
      for (const connection of connections) {
        if (connection.isIdle && connection.since < (longest?.since ?? Number.POSITIVE_INFINITY)) longest = connection
      }
      return longest?.socket
    },
    drain() {
      isDraining = true
      clearInterval(sweeper)
      for (const connection of connections) if (connection.isIdle) connection.destroy()
    },
    destroy() {
      clearInterval(sweeper)
      for (const connection of connections) connection.destroy()
    },
  }
}
