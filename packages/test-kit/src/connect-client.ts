import { request as httpRequest } from 'node:http'
import type { ClientHttp2Session } from 'node:http2'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

/** Sends a CONNECT request. Resolves with the answer of the proxy and the connection. */
export function connectThrough(
  proxy: { readonly port: number },
  target: string,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly socket: Socket; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: proxy.port,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
    })
    request.on('error', reject)
    request.once('connect', (reply, socket: Socket, head) => {
      socket.on('error', () => {})
      if (reply.statusCode === 200) {
        resolve({ status: 200, socket, body: '' })
        return
      }
      const parts = [head]
      socket.on('data', (bytes) => parts.push(bytes))
      socket.once('close', () =>
        resolve({ status: reply.statusCode ?? 0, socket, body: Buffer.concat(parts).toString() }),
      )
    })
    request.end()
  })
}

/** Options of {@link connectTlsThrough}. */
export interface ConnectTlsOptions {
  /** The trusted authority, PEM. */
  readonly ca: string
  /** @default the host of the target */
  readonly servername?: string | undefined
  /** @default only HTTP/1.1 */
  readonly protocols?: readonly string[] | undefined
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3' | undefined
  /** Accepts every certificate. */
  readonly insecure?: boolean | undefined
}

/** Opens TLS inside a CONNECT connection. */
export async function connectTlsThrough(
  proxy: { readonly port: number },
  target: string,
  options: ConnectTlsOptions,
): Promise<TLSSocket> {
  const { ca, servername = findServerName(target), protocols = ['http/1.1'], maxVersion, insecure = false } = options
  const { socket } = await connectThrough(proxy, target)
  return new Promise((resolve, reject) => {
    const tls = connectTls({
      socket,
      ca,
      servername,
      ALPNProtocols: [...protocols],
      rejectUnauthorized: !insecure,
      ...(maxVersion === undefined ? {} : { maxVersion }),
    })
    tls.once('secureConnect', () => resolve(tls))
    tls.on('error', reject)
    tls.once('close', () => reject(new Error('closed')))
  })
}

/** The reply to a request inside a connection. */
export interface ConnectReply {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly trailers: Record<string, string | string[] | undefined>
  /** The status of each informational reply. */
  readonly informed: readonly number[]
}

/** A request inside a connection. */
export interface ConnectRequest {
  /** @default 'POST' */
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

/** Sends one HTTP/1.1 request over an open connection. */
export function askHttp1(
  socket: TLSSocket,
  host: string,
  { method = 'POST', path, headers = {}, body }: ConnectRequest,
): Promise<ConnectReply> {
  return new Promise((resolve, reject) => {
    const informed: number[] = []
    const request = httpRequest({ createConnection: () => socket, method, path, headers: { host, ...headers } })
    request.on('information', ({ statusCode }) => informed.push(statusCode))
    request.on('error', reject)
    request.once('response', (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (bytes: Buffer) => parts.push(bytes))
      reply.once('error', reject)
      reply.once('end', () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          rawHeaders: reply.rawHeaders,
          body: Buffer.concat(parts),
          trailers: reply.trailers,
          informed,
        }),
      )
    })
    request.end(body)
  })
}

/** Sends one request over an open session. */
export function askHttp2(
  session: ClientHttp2Session,
  { method = 'POST', path, headers = {}, body }: ConnectRequest,
): Promise<ConnectReply> {
  return new Promise((resolve, reject) => {
    const informed: number[] = []
    const parts: Buffer[] = []
    let trailers = {}
    let head: Record<string, string | string[] | undefined> = {}
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
    stream.on('headers', (given) => informed.push(given[':status'] ?? 0))
    stream.on('response', (given) => {
      const { ':status': status, ...others } = given
      head = { ...others, ':status': String(status) }
    })
    stream.on('trailers', (given) => {
      trailers = { ...given }
    })
    stream.on('data', (bytes: Buffer) => parts.push(bytes))
    stream.once('error', reject)
    stream.once('close', () => {
      if (!stream.readableEnded || head[':status'] === undefined) {
        reject(new Error(`closed with ${stream.rstCode}`))
        return
      }
      resolve({
        status: Number(head[':status']),
        headers: head,
        rawHeaders: [],
        body: Buffer.concat(parts),
        trailers,
        informed,
      })
    })
    if (body !== undefined) stream.end(body)
  })
}

function findServerName(target: string): string {
  const host = target.slice(0, target.lastIndexOf(':'))
  return isIP(host) === 0 ? host : ''
}
