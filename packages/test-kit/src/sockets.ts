import { once } from 'node:events'
import type { Socket } from 'node:net'

/** A server that emits the sockets it accepts. */
interface Accepting {
  on(event: 'connection', listener: (socket: Socket) => void): unknown
  close(callback: () => void): unknown
}

/** The open sockets of a server, so that it can be closed at once. */
export interface SocketTracker {
  /** Number of accepted connections so far, closed ones included. */
  readonly accepted: number
  readonly open: ReadonlySet<Socket>
  /** Cuts every connection and stops listening. */
  close(): Promise<void>
}

/** Tracks the sockets that a server accepts. */
export function trackSockets(server: Accepting): SocketTracker {
  const open = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket) => {
    accepted += 1
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
  })
  return {
    open,
    get accepted() {
      return accepted
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(resolve))
      const gone = [...open].map((socket) => once(socket, 'close'))
      for (const socket of open) socket.destroy()
      await Promise.all(gone)
      await closed
    },
  }
}
