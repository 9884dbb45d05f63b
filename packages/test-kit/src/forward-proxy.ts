import { createServer, type IncomingMessage, request as startRequest } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { listenOnFreePort } from './http-server.ts'
import { trackSockets } from './sockets.ts'

/** A request that a forward proxy has seen. */
export interface ProxiedRequest {
  readonly method: string
  /** `host:port` of a tunnel, else the whole URL. */
  readonly target: string
  readonly authorization: string | undefined
}

/** Options of {@link startForwardProxy}. */
export interface ForwardProxyOptions {
  /** The name and password that it asks for, such as `me:secret`. @default none */
  readonly credentials?: string | undefined
  /**
   * The ports of this machine that are used for `host:port`. Any other target cannot be reached.
   *
   * @default every name is this machine, at the port of the target
   */
  readonly routes?: ReadonlyMap<string, number> | undefined
  /** Certificate and key of a proxy over TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Bytes that answer every request in place of its reply; the connection then ends. Empty for no answer at all. */
  readonly answer?: string | undefined
  /** Leaves every request without an answer, and the connection open. @default false */
  readonly isSilent?: boolean | undefined
}

/** A proxy that leads every name to this machine. */
export interface ForwardProxy extends AsyncDisposable {
  readonly port: number
  /** Without credentials, such as `http://127.0.0.1:40123`. */
  readonly url: string
  readonly requests: readonly ProxiedRequest[]
  close(): Promise<void>
}

/** Starts a forward proxy on a free port of the loopback interface: CONNECT for tunnels, whole URLs for plain HTTP. */
export async function startForwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const { credentials, routes, tls, answer, isSilent = false } = options
  const requests: ProxiedRequest[] = []
  const server = tls === undefined ? createServer() : createTlsServer(tls)

  /** Notes a request. @returns whether the request continues */
  function admit(request: IncomingMessage, socket: Socket): boolean {
    const authorization = request.headers['proxy-authorization']
    requests.push({ method: request.method ?? '', target: request.url ?? '', authorization })
    if (isSilent) return false
    if (answer !== undefined) socket.end(answer, 'latin1')
    return answer === undefined
  }
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    credentials === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`
  const findPort = (target: string): number | undefined =>
    routes === undefined ? Number(target.split(':').at(-1)) : routes.get(target)

  server.on('connect', (request: IncomingMessage, socket: Socket, first: Buffer) => {
    socket.on('error', () => {})
    if (!admit(request, socket)) return
    if (!isKnown(request)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="p"\r\n\r\n')
      return
    }
    const port = findPort(request.url ?? '')
    if (port === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
      return
    }
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(first)
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.once('close', () => upstream.destroy())
  })
  server.on('request', (request, response) => {
    if (!admit(request, request.socket)) return
    if (!isKnown(request)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="p"' }).end('credentials, please')
      return
    }
    const { hostname, port: ownPort, pathname, search, host } = new URL(request.url ?? '')
    const port = findPort(`${hostname}:${ownPort || 80}`)
    if (port === undefined) {
      response.writeHead(502).end()
      return
    }
    const { 'proxy-authorization': _, ...headers } = request.headers
    const forwarded = startRequest(
      { host: '127.0.0.1', port, path: pathname + search, method: request.method, headers: { ...headers, host } },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(response)
      },
    )
    forwarded.on('error', () => response.writeHead(502).end())
    request.pipe(forwarded)
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return {
    port,
    requests,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    close: sockets.close,
    [Symbol.asyncDispose]: sockets.close,
  }
}
