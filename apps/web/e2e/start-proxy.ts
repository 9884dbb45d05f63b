import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy before a server; it serves the server's root below a prefix. */
export interface Proxy extends AsyncDisposable {
  /** The address of the interface, with a slash at its end. */
  readonly url: string
  /** Answers requests in place of the server while it returns true; the path is the server's. */
  intercept: (path: string, response: ServerResponse) => boolean
  /** Keeps requests from the server while it returns true, until they are released. */
  hold: (path: string) => boolean
  /** Sends the requests that are held on to the server. */
  release(): void
}

/** Starts a proxy that takes a prefix such as `/llm` off each path and says so, as reverse proxies do. */
export async function startProxy(target: string, prefix = ''): Promise<Proxy> {
  const pass = (incoming: IncomingMessage, response: ServerResponse, path: string): void => {
    const { host = '' } = incoming.headers
    const headers = { ...incoming.headers, 'x-forwarded-prefix': prefix, 'x-forwarded-host': host }
    const onward = request(new URL(path, target), { method: incoming.method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
      reply.once('error', () => response.destroy())
    })
    onward.once('error', () => response.destroy())
    response.once('close', () => onward.destroy())
    incoming.pipe(onward)
  }
  const held: (() => void)[] = []
  const proxy: Pick<Proxy, 'intercept' | 'hold' | 'release'> = {
    intercept: () => false,
    hold: () => false,
    release: () => {
      for (const go of held.splice(0)) go()
    },
  }
  const server = createServer((incoming, response) => {
    const { url = '/' } = incoming
    if (!url.startsWith(`${prefix}/`)) return void response.writeHead(404).end('outside of the prefix')
    const path = url.slice(prefix.length)
    if (proxy.intercept(path, response)) return
    if (proxy.hold(path)) held.push(() => pass(incoming, response, path))
    else pass(incoming, response, path)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}${prefix}/`,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
