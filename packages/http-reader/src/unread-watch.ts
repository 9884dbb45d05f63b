import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/** Interval of the looks at a connection, milliseconds: a limit is kept to within two looks. */
const LOOK_MS = 400

/** Options of {@link watchUnread}. */
export interface UnreadOptions {
  /** Milliseconds that a client may take nothing. */
  readonly unreadMs: number
  /** Emits the `timeout` events of the socket. @default the socket */
  readonly events?: EventEmitter | undefined
}

/**
 * Cuts a connection whose client takes nothing of the bytes that wait for it. The time starts again whenever the client
 * takes some; it goes on while the client only sends. The caller pauses a socket from which much may come.
 *
 * @returns a function that ends the watch
 */
export function watchUnread(socket: Socket, { unreadMs, events = socket }: UnreadOptions): () => void {
  const lookMs = Math.min(LOOK_MS, unreadMs)
  let silentMs = 0
  let lookedAt = performance.now()
  let readBytes = socket.bytesRead
  const look = (hasTaken: boolean): void => {
    const now = performance.now()
    silentMs = hasTaken ? lookMs : silentMs + now - lookedAt
    lookedAt = now
    if (silentMs >= unreadMs) socket.destroy()
    else socket.setTimeout(lookMs)
  }
  // Node puts this event off while the client takes something: a late one tells of progress.
  const onTimeout = (): void => look(performance.now() - lookedAt >= 2 * lookMs)
  // Node puts the event off for incoming bytes too.
  const reads = setInterval(() => {
    if (socket.bytesRead === readBytes) return
    readBytes = socket.bytesRead
    look(false)
  }, lookMs).unref()
  events.on('timeout', onTimeout)
  socket.setTimeout(lookMs)
  let isOver = false
  return () => {
    // The time of the socket may be another's by now.
    if (isOver) return
    isOver = true
    clearInterval(reads)
    events.off('timeout', onTimeout)
    socket.setTimeout(0)
  }
}
