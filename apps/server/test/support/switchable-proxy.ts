import { connect, createServer } from 'node:net'
import { listenOnFreePort } from '@svc/test-kit'

/** A way to a server that a test can close and open. */
export interface SwitchableProxy extends AsyncDisposable {
  readonly port: number
  /** Cuts every connection and takes no other. */
  shut(): void
  /**
   * Keeps every connection and forwards nothing more.
   *
   * @param which `all`: new connections are taken, and nothing of them is forwarded either. @default 'all'
   */
  hang(which?: 'all' | 'open'): void
  open(): void
}

interface Link {
  end(): void
  hang(): void
  resume(): void
}

/** Starts a proxy to a port of this machine; it is open. */
export async function startSwitchableProxy(target: number): Promise<SwitchableProxy> {
  let state: 'open' | 'shut' | 'hung' = 'open'
  const links = new Set<Link>()
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (state === 'shut') {
      client.destroy()
      return
    }
    const upstream = connect(target, '127.0.0.1')
    const link: Link = {
      end() {
        client.destroy()
        upstream.destroy()
      },
      hang() {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
      },
      resume() {
        client.pipe(upstream).pipe(client)
      },
    }
    links.add(link)
    for (const socket of [client, upstream]) {
      socket.on('error', link.end)
      socket.once('close', () => {
        link.end()
        links.delete(link)
      })
    }
    if (state === 'open') link.resume()
  })
  const port = await listenOnFreePort(server)
  const shut = (): void => {
    state = 'shut'
    for (const link of [...links]) link.end()
  }
  return {
    port,
    shut,
    hang(which = 'all') {
      if (which === 'all') state = 'hung'
      for (const link of links) link.hang()
    },
    open() {
      state = 'open'
      for (const link of links) link.resume()
    },
    async [Symbol.asyncDispose]() {
      shut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
