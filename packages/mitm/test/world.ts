import { request as httpRequest } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import type { LookupFunction, Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import {
  type Authority,
  type BodyFilter,
  createCaFolder,
  type MitmEvent,
  type MitmProxy,
  type MitmProxyOptions,
  openAuthority,
  startMitmProxy,
} from '@svc/mitm'
import { createTestCa, startUpstream, type TempDir, type TestCa, tempDir, type Upstream } from '@svc/test-kit'

/** The listed host of the tests; its name leads to the loopback interface. */
export const LISTED = 'api.listed.example'
/** A host that is not listed. */
export const OTHER = 'www.other.example'

const lookup: LookupFunction = (host, options, callback) => {
  if (!host.endsWith('.example')) callback(new Error(`unknown host ${host}`), '', 4)
  else if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

/** A filter that blocks `forbidden`, masks `secret` and leaves everything else. */
const wordFilter: BodyFilter = {
  async filter({ body }) {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
    if (text.includes('forbidden')) return { blocked: true }
    const masked = text.replaceAll('secret', '[MASK]')
    return { blocked: false, body: masked === text ? body : Buffer.from(masked, 'latin1') }
  },
}

export interface World extends AsyncDisposable {
  readonly proxy: MitmProxy
  readonly authority: Authority
  readonly upstream: Upstream
  readonly upstreamCa: TestCa
  readonly dir: TempDir
  readonly events: MitmEvent[]
  /** `api.listed.example` with the port of the upstream. */
  readonly target: string
  /** Resolves with the first event of a type after `from` others of it. */
  event<Type extends MitmEvent['type']>(type: Type, from?: number): Promise<Extract<MitmEvent, { type: Type }>>
}

export interface WorldOptions extends Partial<Omit<MitmProxyOptions, 'authority'>> {
  readonly filter?: BodyFilter | undefined
  readonly protocol?: 'https' | 'h2' | undefined
  readonly listed?: readonly string[] | undefined
}

/** A proxy with an authority of its own in front of a recording upstream. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { filter = wordFilter, protocol = 'https', listed = [LISTED], ...rest } = options
  const dir = await tempDir()
  const authority = await openAuthority({ store: createCaFolder(dir.join('ca')) })
  const upstreamCa = createTestCa()
  const upstream = await startUpstream({ protocol, hosts: [LISTED, OTHER], ca: upstreamCa })
  const events: MitmEvent[] = []
  const watchers = new Set<() => void>()
  const proxy = await startMitmProxy({
    authority,
    policy: { find: (host) => (listed.includes(host) ? { filter } : undefined) },
    lookup,
    trustedAuthorities: upstreamCa.cert,
    onEvent: (event) => {
      events.push(event)
      for (const watcher of [...watchers]) watcher()
    },
    ...rest,
  })
  return {
    proxy,
    authority,
    upstream,
    upstreamCa,
    dir,
    events,
    target: `${LISTED}:${upstream.port}`,
    event: (type, from = 0) =>
      new Promise((resolve) => {
        const watcher = () => {
          const found = events.filter((event) => event.type === type)[from]
          if (found === undefined) return
          watchers.delete(watcher)
          resolve(found as never)
        }
        watchers.add(watcher)
        watcher()
      }),
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await upstream.close()
      await dir.close()
    },
  }
}

/** The answer of the proxy to a CONNECT request, with the connection. */
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

export interface TlsOptions {
  readonly ca: string
  readonly servername?: string | undefined
  readonly protocols?: readonly string[] | undefined
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3' | undefined
  readonly insecure?: boolean | undefined
}

/** TLS inside a CONNECT connection. */
export async function tlsThrough(
  proxy: { readonly port: number },
  target: string,
  { ca, servername = LISTED, protocols = ['http/1.1'], maxVersion, insecure = false }: TlsOptions,
): Promise<TLSSocket> {
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

/** A session of HTTP/2 inside a CONNECT connection. */
export async function http2Through(world: World): Promise<ClientHttp2Session> {
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate, protocols: ['h2'] })
  const session = connectHttp2(`https://${world.target}`, { createConnection: () => tls })
  session.on('error', () => {})
  return session
}

export interface Reply {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly trailers: Record<string, string | string[] | undefined>
  readonly informed: readonly number[]
}

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

/** One request over a client protocol, through the proxy. */
export async function ask(world: World, protocol: 'http/1.1' | 'h2', asked: Asked): Promise<Reply> {
  if (protocol === 'h2') {
    const session = await http2Through(world)
    try {
      return await askHttp2(session, asked)
    } finally {
      session.destroy()
    }
  }
  const socket = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  try {
    return await askHttp1(socket, world.target, asked)
  } finally {
    socket.destroy()
  }
}

export function askHttp1(
  socket: TLSSocket,
  host: string,
  { method = 'POST', path, headers = {}, body }: Asked,
): Promise<Reply> {
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

export function askHttp2(
  session: ClientHttp2Session,
  { method = 'POST', path, headers = {}, body }: Asked,
): Promise<Reply> {
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
