import type { Socket } from 'node:net'
import type { Libp2p } from 'libp2p'

/** A stream between two members. */
export type PeerStream = Awaited<ReturnType<Libp2p['dialProtocol']>>

/** The bytes of an event of a stream. */
export function toBytes(data: Uint8Array | { subarray(): Uint8Array }): Uint8Array {
  return data.subarray()
}

/**
 * Joins a stream and a socket, in both directions and with back pressure. The end of one direction passes on alone; a
 * failure of either ends both.
 *
 * @param onEnd called once when both are closed
 */
export function pump(stream: PeerStream, socket: Socket, onEnd: () => void): void {
  let isOver = false
  const end = (): void => {
    if (isOver) return
    isOver = true
    onEnd()
  }
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
  stream.addEventListener('message', ({ data }) => {
    if (socket.destroyed) return
    if (socket.write(toBytes(data))) return
    stream.pause()
    socket.once('drain', () => stream.resume())
  })
  stream.addEventListener('remoteCloseWrite', () => socket.end())
  stream.addEventListener('close', (event) => {
    const { error } = event as { readonly error?: Error }
    if (error === undefined) socket.destroySoon()
    else socket.destroy()
  })
  socket.on('data', (piece) => {
    if (stream.status !== 'open') return void socket.destroy()
    if (stream.send(piece)) return
    socket.pause()
    stream.addEventListener('drain', () => socket.resume(), { once: true })
  })
  socket.on('end', () => void stream.close({ signal: AbortSignal.timeout(CLOSE_MS) }).catch(() => socket.destroy()))
  socket.on('error', (error) => stream.abort(error))
  socket.on('close', () => {
    if (stream.status === 'open') stream.abort(new Error('the local connection is closed'))
    end()
  })
}

const KEEP_ALIVE_MS = 30_000
const CLOSE_MS = 30_000
