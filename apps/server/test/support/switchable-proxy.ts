import { connect, createServer } from 'node:net'
import { listenOnFreePort } from '@svc/test-kit'

/** A way to a server that a test can close and open. */
export interface SwitchableProxy extends AsyncDisposable {
  readonly port: number
  /** Cuts every connection and takes no other. */
  shut(): void
  open(): void
}

/** Starts a proxy to a port of this machine; it is open. */
export async function startSwitchableProxy(target: number): Promise<SwitchableProxy> {
  let isOpen = true
  const ends = new Set<() => void>()
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (!isOpen) {
      client.destroy()
      return
    }
    const upstream = connect(target, '127.0.0.1')
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    ends.add(end)
    for (const socket of [client, upstream]) {
      socket.on('error', end)
      socket.once('close', () => {
        end()
        ends.delete(end)
      })
    }
    client.pipe(upstream).pipe(client)
  })
  const port = await listenOnFreePort(server)
  const shut = (): void => {
    isOpen = false
    for (const end of [...ends]) end()
  }
  return {
    port,
    shut,
    open() {
      isOpen = true
    },
    async [Symbol.asyncDispose]() {
      shut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
