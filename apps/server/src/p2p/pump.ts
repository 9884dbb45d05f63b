import type { Socket } from 'node:net'
import type { Libp2p } from 'libp2p'

/** A stream between two members. */
export type PeerStream = Awaited<ReturnType<Libp2p['dialProtocol']>>

/** The bytes of an event of a stream. */
export function toBytes(data: Uint8Array | { subarray(): Uint8Array }): Uint8Array {
  return data.subarray()
}

/** Holds the bytes of a stream back. */
export function pauseStream(stream: PeerStream): void {
  if (stream.readStatus === 'readable') stream.pause()
}

/** Lets the bytes of a stream come. */
export function resumeStream(stream: PeerStream): void {
  if (stream.readStatus !== 'paused') return
  try {
    stream.resume()
  } catch {
    // The bytes have come; the connection below has gone and takes no further word of this side.
  }
}

/**
 * Joins a stream and a socket, in both directions and with back pressure. The end of one direction passes on alone, after
 * all of its bytes; a failure of either ends both.
 *
 * @param onEnd called once when the socket is closed
 */
export function pump(stream: PeerStream, socket: Socket, onEnd: () => void): void {
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
  socket.once('close', () => {
    // A socket with both ends is closed before the stream has sent the last bytes.
    const isWhole = socket.readableEnded && socket.writableFinished
    if (!isWhole && stream.status === 'open') stream.abort(new Error('the local connection is closed'))
    onEnd()
  })
  socket.on('error', (error) => stream.abort(error))
  passToSocket(stream, socket)
  passToStream(stream, socket)
}

/**
 * A stream that has no more bytes has either been ended by the other side or lost its connection: only the former is the
 * end of a direction. A stream whose both directions are ended is closed while the last bytes may still wait in it.
 */
function passToSocket(stream: PeerStream, socket: Socket): void {
  let isEnded = stream.status === 'open' && stream.remoteWriteStatus === 'closed'
  const end = (): void => (isEnded ? void socket.end() : cut(socket))
  stream.addEventListener('message', ({ data }) => {
    if (socket.destroyed || socket.write(toBytes(data))) return
    pauseStream(stream)
    socket.once('drain', () => resumeStream(stream))
  })
  stream.addEventListener('remoteCloseWrite', () => {
    isEnded = true
  })
  stream.addEventListener('end', end)
  stream.addEventListener('close', (event) => {
    const { error } = event as { readonly error?: Error }
    if (error !== undefined || !isEnded || !socket.readableEnded) cut(socket)
  })
  if (stream.readableEnded) end()
}

function passToStream(stream: PeerStream, socket: Socket): void {
  socket.on('data', (piece) => {
    if (send(stream, piece)) return
    if (stream.status !== 'open') return cut(socket)
    socket.pause()
    stream.addEventListener('drain', () => socket.resume(), { once: true })
  })
  // It lasts as long as the other side takes to read what was sent; a stream that fails ends it.
  socket.once('end', () => void stream.close().catch(() => cut(socket)))
}

/** @returns false where no more may be sent before `drain`, or at all */
function send(stream: PeerStream, piece: Uint8Array): boolean {
  try {
    return stream.send(piece)
  } catch (cause) {
    stream.abort(cause instanceof Error ? cause : new Error('the stream takes nothing', { cause }))
    return false
  }
}

/** Ends a socket so that its other side does not take the bytes so far for all of them. */
function cut(socket: Socket): void {
  if (socket.connecting) socket.destroy()
  else if (!socket.destroyed) socket.resetAndDestroy()
}

const KEEP_ALIVE_MS = 30_000
