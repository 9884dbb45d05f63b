import type { Socket } from 'node:net'
import { findServerName, MAX_HELLO_BYTES } from './client-hello.ts'

/** Options of {@link runTunnel}. */
export interface TunnelOptions {
  readonly idleMs: number
  /**
   * Called once with the TLS name that the client sends.
   *
   * @returns false to end the tunnel before the name goes out
   */
  readonly onServerName: (serverName: string) => boolean
  /** Whether the first bytes wait until the name is known. */
  readonly holdsHello: boolean
  readonly onEnd: (bytes: { readonly sent: number; readonly received: number }) => void
}

/** Moves bytes between a client and a host as they come, each direction until its own end. */
export function runTunnel(client: Socket, host: Socket, options: TunnelOptions): void {
  const { idleMs, onEnd } = options
  let isOver = false
  const end = (): void => {
    client.destroy()
    host.destroy()
    if (isOver || !client.destroyed || !host.destroyed) return
    isOver = true
    onEnd({ sent: host.bytesWritten, received: host.bytesRead })
  }
  for (const socket of [client, host]) {
    socket.setTimeout(idleMs, end)
    socket.on('error', end)
    socket.once('close', end)
  }
  host.pipe(client)
  if (options.holdsHello) holdHello(client, host, options, end)
  else {
    watchHello(client, options)
    client.pipe(host)
  }
}

function watchHello(client: Socket, { onServerName }: TunnelOptions): void {
  let seen: Buffer = Buffer.alloc(0)
  const look = (bytes: Buffer): void => {
    seen = seen.length === 0 ? bytes : Buffer.concat([seen, bytes])
    const search = findServerName(seen)
    if (search.state === 'more' && seen.length < MAX_HELLO_BYTES) return
    client.removeListener('data', look)
    seen = Buffer.alloc(0)
    if (search.state === 'found') onServerName(search.serverName)
  }
  client.on('data', look)
}

function holdHello(client: Socket, host: Socket, { onServerName }: TunnelOptions, end: () => void): void {
  let held: Buffer = Buffer.alloc(0)
  const finish = (): void => {
    client.removeListener('data', look)
    client.removeListener('end', finish)
    client.pause()
    host.write(held)
    held = Buffer.alloc(0)
    if (client.readableEnded) host.end()
    else client.pipe(host)
  }
  const look = (bytes: Buffer): void => {
    held = Buffer.concat([held, bytes])
    const search = findServerName(held)
    if (search.state === 'more' && held.length < MAX_HELLO_BYTES) return
    if (search.state === 'found' && !onServerName(search.serverName)) end()
    else finish()
  }
  client.on('data', look)
  client.once('end', finish)
}
