import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from './http-server.ts'
import { trackSockets } from './sockets.ts'

/** The place and way of cutting a connection. */
export interface Cut {
  /** Bytes to count: the bytes of the target (`response`) or of the client (`request`). */
  readonly direction: 'response' | 'request'
  /** Number of bytes that pass before the cut; 0 cuts at the first byte. */
  readonly afterBytes: number
  /** `fin` ends both sides in good order, `rst` resets them. */
  readonly how: 'fin' | 'rst'
}

/** A TCP proxy that cuts connections. */
export interface CutProxy extends AsyncDisposable {
  readonly port: number
  /** Number of connections that have been cut. */
  readonly cuts: number
  /** Sets the cut of later connections; undefined lets them pass whole. */
  setCut(cut: Cut | undefined): void
  close(): Promise<void>
}

/** Options of {@link startCutProxy}. */
export interface CutProxyOptions {
  readonly target: { readonly host?: string | undefined; readonly port: number }
  /** @default none: connections pass whole */
  readonly cut?: Cut | undefined
}

/** Starts a proxy on a free port of the loopback interface that forwards bytes to a target and can cut them off. */
export async function startCutProxy({ target, cut: firstCut }: CutProxyOptions): Promise<CutProxy> {
  let current = firstCut
  let cuts = 0
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const cut = current
    const upstream = connect({ host: target.host ?? '127.0.0.1', port: target.port, allowHalfOpen: true })
    upstream.on('error', () => client.destroy())
    client.on('error', () => upstream.destroy())
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    const onCut = () => {
      cuts += 1
    }
    forward(client, upstream, cut?.direction === 'request' ? { ...cut, onCut } : undefined)
    forward(upstream, client, cut?.direction === 'response' ? { ...cut, onCut } : undefined)
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return {
    port,
    get cuts() {
      return cuts
    },
    setCut(cut) {
      current = cut
    },
    close: sockets.close,
    [Symbol.asyncDispose]: sockets.close,
  }
}

function forward(from: Socket, to: Socket, cut: (Cut & { onCut(): void }) | undefined): void {
  if (cut === undefined) {
    from.pipe(to)
    return
  }
  let left = cut.afterBytes
  let isCut = false
  from.on('data', (bytes) => {
    if (bytes.length <= left && left > 0) {
      left -= bytes.length
      if (!to.write(bytes)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
      if (left > 0) return
    }
    isCut = true
    from.pause()
    from.removeAllListeners('data')
    const rest = bytes.subarray(0, left)
    left = 0
    to.write(rest, () => {
      void turnsOfTheLoop(3).then(() => {
        cut.onCut()
        sever(from, cut.how)
        sever(to, cut.how)
      })
    })
  })
  from.on('end', () => {
    if (!isCut) to.end()
  })
}

/**
 * A reset discards the unread bytes of the other side, or makes the end look regular. A client in this process has read
 * them after a turn of the event loop.
 */
async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function sever(socket: Socket, how: Cut['how']): void {
  if (how === 'rst') socket.resetAndDestroy()
  else socket.destroySoon()
}
