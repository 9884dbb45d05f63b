import { connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { createTestCa, listenOnFreePort } from '@svc/test-kit'

/** An address with TLS in front of a plain server. */
export interface TlsRelay extends AsyncDisposable {
  readonly url: string
  /** The authority that a client has to trust, PEM. */
  readonly ca: string
}

/** Starts a relay: official realtime clients open `wss:` addresses only. */
export async function startTlsRelay(url: string): Promise<TlsRelay> {
  const authority = createTestCa()
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const server = createServer(authority.issue(['127.0.0.1']), (client) => {
    const upstream = connect(Number(port), hostname)
    open.add(client)
    client.pipe(upstream).pipe(client)
    client
      .on('error', () => upstream.destroy())
      .on('close', () => {
        open.delete(client)
        upstream.destroy()
      })
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
  })
  const own = await listenOnFreePort(server)
  return {
    url: `https://127.0.0.1:${own}`,
    ca: authority.cert,
    async [Symbol.asyncDispose]() {
      for (const client of open) client.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
