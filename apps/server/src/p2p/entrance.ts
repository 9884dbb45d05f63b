import { connect, type Socket } from 'node:net'
import type { Caller } from './node.ts'
import type { NetworkOptions, ServicePlace } from './options.ts'
import { type PeerStream, pauseStream, pump, resumeStream } from './pump.ts'

/** Most streams that a member serves for one service at the same time. */
const MAX_STREAMS = 256
/** Most of them for one other member. */
export const MAX_STREAMS_OF_MEMBER = 128
const CONNECT_MS = 10_000

/** The way of others to a service of this member. */
export interface Entrance {
  /** Leads a stream to the service, or refuses it. */
  accept(stream: PeerStream, from: Caller): void
  /** Ends all streams. */
  close(): void
}

/** Opens the way to a service. @param options.place where it is; undefined while it takes no connection */
export function createEntrance({
  place,
  onServe,
}: {
  readonly place: () => ServicePlace | undefined
  readonly onServe?: NetworkOptions['onServe']
}): Entrance {
  /** The sockets to the service, each with the member that it serves. */
  const sockets = new Map<Socket, string>()
  const countOf = (id: string): number => [...sockets.values()].filter((owner) => owner === id).length

  return {
    accept(stream, { id, address }) {
      const target = place()
      if (target === undefined || sockets.size >= MAX_STREAMS || countOf(id) >= MAX_STREAMS_OF_MEMBER) {
        stream.abort(new Error('the service takes no further connection'))
        return
      }
      pauseStream(stream)
      const socket = connect({ ...target, allowHalfOpen: true })
      sockets.set(socket, id)
      const refuse = (): void => void socket.destroy(new Error('the service does not answer'))
      socket.setTimeout(CONNECT_MS, refuse)
      socket.once('connect', () => {
        socket.setTimeout(0)
        onServe?.(socket, address)
        resumeStream(stream)
      })
      pump(stream, socket, () => sockets.delete(socket))
    },
    close() {
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}
