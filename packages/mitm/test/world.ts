import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import type { LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
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
import {
  askHttp1,
  askHttp2,
  type ConnectReply,
  type ConnectRequest,
  type ConnectTlsOptions,
  connectTlsThrough,
  createTestCa,
  startUpstream,
  type TempDir,
  type TestCa,
  tempDir,
  type Upstream,
} from '@svc/test-kit'

export { askHttp1, askHttp2, connectThrough } from '@svc/test-kit'

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

/** TLS inside a CONNECT connection; the name is that of the listed host. */
export function tlsThrough(
  proxy: { readonly port: number },
  target: string,
  options: ConnectTlsOptions,
): Promise<TLSSocket> {
  return connectTlsThrough(proxy, target, { servername: LISTED, ...options })
}

/** A session of HTTP/2 inside a CONNECT connection. */
export async function http2Through(world: World): Promise<ClientHttp2Session> {
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate, protocols: ['h2'] })
  const session = connectHttp2(`https://${world.target}`, { createConnection: () => tls })
  session.on('error', () => {})
  return session
}

/** One request over a client protocol, through the proxy. */
export async function ask(world: World, protocol: 'http/1.1' | 'h2', asked: ConnectRequest): Promise<ConnectReply> {
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
