/** Time to the first question, milliseconds. Each further one comes later. */
const FIRST_MS = 1
const LONGEST_MS = 5000
/** Longest time before the reply of a client that cannot be asked begins, milliseconds. */
const UNASKED_MS = 15_000
/** Time between two looks at a reply that has begun, milliseconds. */
const SILENT_MS = 25_000

/** A reply for which a client waits: one of this package, or Node's. */
export interface AwaitedReply {
  readonly headersSent: boolean
  /** Sends `100 Continue`. */
  writeContinue(): void
  destroy(): unknown
}

/** What tells that a reply goes on: a socket. */
export interface SendingSocket {
  readonly bytesWritten: number
  /** Bytes that the system has not taken yet. */
  readonly writableLength: number
}

/**
 * Finds out whether a client that has ended its half of the connection still waits for its reply. TCP shows a client
 * that only sends nothing more and one that has left in the same way. Bytes tell them apart: the system of a client
 * that has left answers them with a reset. Until the reply begins, these bytes are `100 Continue`, which every client
 * of HTTP/1.1 has to skip. A client of HTTP/1.0 does not know it; its reply has to begin within 15 s.
 *
 * Once the reply has begun, only its own bytes can ask. A reply that then sends nothing for 25 to 50 s is cut off: its
 * client may have left before the first byte, and its call would run for ever.
 *
 * @param options.httpVersion of the client @default '1.1'
 * @returns a function that ends the watch
 */
export function watchHalfClosed(
  reply: AwaitedReply,
  { socket, httpVersion = '1.1' }: { readonly socket: SendingSocket; readonly httpVersion?: string | undefined },
): () => void {
  const isAsked = httpVersion !== '1.0'
  let waitMs = FIRST_MS
  let sentBytes = -1
  const lookAtBegun = (): void => {
    if (socket.bytesWritten === sentBytes && socket.writableLength === 0) {
      reply.destroy()
      return
    }
    sentBytes = socket.bytesWritten
    timer = setTimeout(lookAtBegun, SILENT_MS).unref()
  }
  const look = (): void => {
    if (reply.headersSent) {
      lookAtBegun()
      return
    }
    if (!isAsked) {
      reply.destroy()
      return
    }
    reply.writeContinue()
    timer = setTimeout(look, waitMs).unref()
    waitMs = Math.min(2 * waitMs, LONGEST_MS)
  }
  let timer = setTimeout(look, isAsked ? FIRST_MS : UNASKED_MS).unref()
  return () => clearTimeout(timer)
}
