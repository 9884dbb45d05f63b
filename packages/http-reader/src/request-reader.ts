import type { Socket } from 'node:net'
import { Connection, type ConnectionHost, type ConnectionPhase } from './connection.ts'
import { type GivenLimits, resolveLimits } from './limits.ts'

/** Interval of the search for connections that have stayed too long, milliseconds. */
const SWEEP_MS = 1000

/** The server around a reader. */
export interface RequestReaderOptions extends Pick<ConnectionHost, 'accepts' | 'serve' | 'handOver'> {
  readonly limits?: GivenLimits | undefined
}

/** Reads plain requests off connections. */
export interface RequestReader {
  /** Takes a new connection. Its server bounds how many there are. */
  accept(socket: Socket): void
  /** The connection that has been idle the longest; undefined when all are in use. */
  findIdle(): Socket | undefined
  /** Ends idle connections at once and busy ones with their reply. No further request is taken. */
  drain(): void
  /** Cuts every connection. */
  destroy(): void
}

/**
 * Makes a reader. One sweep a second keeps the time limits, at the same cost for any number of requests.
 *
 * @throws {TypeError} for a missing function of the server; {RangeError} for a time limit that no timer can keep
 */
export function createRequestReader(options: RequestReaderOptions): RequestReader {
  for (const name of ['accepts', 'serve', 'handOver'] as const) {
    if (typeof options?.[name] !== 'function') throw new TypeError(`createRequestReader: ${name} must be a function`)
  }
  const { limits: given, ...server } = options
  const limits = resolveLimits(given)
  const phaseMs: Readonly<Record<ConnectionPhase, number>> = {
    unused: limits.unusedMs,
    idle: limits.idleMs,
    receiving: limits.bodyMs,
    answering: Number.POSITIVE_INFINITY,
  }
  const connections = new Set<Connection>()
  let sweeps = 0
  let isDraining = false

  const sweeper = setInterval(() => {
    sweeps += 1
    for (const connection of connections) {
      if ((sweeps - connection.since) * SWEEP_MS > phaseMs[connection.phase]) connection.destroy()
    }
  }, SWEEP_MS)
  sweeper.unref()

  const host: ConnectionHost = {
    ...server,
    keepAliveSeconds: Math.floor(limits.idleMs / 1000),
    unreadMs: limits.unreadMs,
    get isDraining() {
      return isDraining
    },
    onPhase(connection) {
      connection.since = sweeps
    },
    onGone: (connection) => void connections.delete(connection),
  }

  return {
    accept(socket) {
      const connection = new Connection(socket, host)
      connection.since = sweeps
      connections.add(connection)
    },
    findIdle() {
      let longest: Connection | undefined
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
