import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A plain HTTP server on a free port of the loopback interface. */
export interface HttpServer extends AsyncDisposable {
  readonly server: Server
  readonly port: number
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string
  /** Stops at once; open connections are cut. */
  close(): Promise<void>
}

/** Starts a server on a free port. */
export async function startHttpServer(handler: RequestListener): Promise<HttpServer> {
  const server = createServer(handler)
  const port = await listenOnFreePort(server)
  const close = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { server, port, origin: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close }
}

/** Servers that can listen: the servers of `net`, `tls`, `http`, `https` and `http2`. */
interface Listening {
  listen(port: number, host: string, callback: () => void): unknown
  once(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  address(): AddressInfo | string | null
}

/** Listens on a free port of 127.0.0.1 and returns it. */
export async function listenOnFreePort(server: Listening): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
