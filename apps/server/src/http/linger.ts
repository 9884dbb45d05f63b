import type { Socket } from 'node:net'

/** How long what still comes is read and dropped behind the last words of the server, milliseconds. */
export const LINGER_MS = 1000
/** Most bytes of it (threats IN-1). Python's `http.client` reads no reply before it has sent its whole body. */
export const LINGER_BYTES = 64 * 1024 * 1024

/**
 * Ends a connection in order: sends the last words, then reads and drops what still comes, for {@link LINGER_MS} and
 * {@link LINGER_BYTES} at most. A socket that is closed over unread bytes resets the connection, and its client may lose
 * the reply. It is closed at that limit too where its client never ends its half.
 *
 * @param socket nobody else reads it or writes to it
 */
export function endConnection(socket: Socket, lastWords = ''): void {
  socket.end(lastWords, 'latin1')
  if (socket.readableEnded || socket.destroyed) {
    socket.destroySoon()
    return
  }
  let dropped = 0
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket
    .on('data', (chunk: Buffer) => {
      dropped += chunk.length
      if (dropped > LINGER_BYTES) socket.destroy()
    })
    .once('end', () => socket.destroySoon())
    .once('close', () => clearTimeout(timer))
    .resume()
}

/** Keeps an error of a socket from ending the process; the end of the socket, which follows, is what others listen for. */
export function ignoreErrors(socket: Socket): void {
  socket.on('error', ignore)
}

function ignore(): void {}
