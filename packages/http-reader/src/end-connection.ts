import type { Socket } from 'node:net'

/** Time that incoming bytes are read and dropped after the last reply, milliseconds. */
export const LINGER_MS = 1000
/** Most bytes that are dropped. Python's `http.client` reads no reply before it has sent its whole body. */
export const LINGER_BYTES = 64 * 1024 * 1024

/**
 * Closes a connection so that its client can read the last reply (a lingering close). It sends the last bytes, then
 * reads and drops incoming ones for {@link LINGER_MS} and {@link LINGER_BYTES} at most. The system resets a connection
 * that is closed over unread bytes, and the client may lose the reply. A client that never ends its half is cut off at
 * that limit.
 *
 * @param socket nobody else reads it or writes to it
 */
export function endConnection(socket: Socket, lastBytes = ''): void {
  socket.end(lastBytes, 'latin1')
  if (socket.destroyed) return
  // Also for a client that has ended its half: it may not take the last bytes.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  if (socket.readableEnded) {
    socket.destroySoon()
    return
  }
  let dropped = 0
  socket
    .on('data', (chunk: Buffer) => {
      dropped += chunk.length
      if (dropped > LINGER_BYTES) socket.destroy()
    })
    .once('end', () => socket.destroySoon())
    .resume()
}
