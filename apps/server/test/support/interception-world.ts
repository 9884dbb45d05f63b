import { writeFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import type { LookupFunction } from 'node:net'
import {
  askHttp1,
  askHttp2,
  type ConnectReply,
  type ConnectRequest,
  connectTlsThrough,
  createTestCa,
  eventually,
  startUpstream,
  type TempDir,
  type TestCa,
  tempDir,
  type Upstream,
} from '@svc/test-kit'
import { type MiddlewareStatus, middlewareStatus } from '@svc/wire/native'
import { stringify } from 'yaml'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** A host that model files of the tests list. */
export const LISTED = 'api.listed.example'
/** A host that none of them lists. */
export const OTHER = 'www.other.example'

/** Every name of the tests leads to the loopback interface. */
const lookup: LookupFunction = (_host, options, callback) => {
  if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

/** A server whose intercepting proxy is in front of a recording upstream with TLS. */
export interface InterceptionWorld extends AsyncDisposable {
  readonly server: TestServer
  readonly upstream: Upstream
  readonly upstreamCa: TestCa
  readonly dir: TempDir
  /** The certificate of the proxy's authority. */
  readonly ca: string
  /** The port of the proxy. */
  readonly port: number
  /** A host with the port of the upstream. */
  target(host?: string): string
  /** Writes a detector of patterns. */
  patterns(name: string, patterns: Readonly<Record<string, string>>, action?: string): Promise<void>
  /** Writes a model that lists hosts. */
  claims(name: string, hosts: readonly string[], pii: Readonly<Record<string, unknown>>): Promise<void>
  status(): Promise<MiddlewareStatus['mitm']>
  events(query?: string): Promise<Record<string, unknown>[]>
  /** Sends one request over a connection of its own. */
  ask(asked: ConnectRequest, options?: AskOptions): Promise<ConnectReply>
}

/** Options of a request through the proxy. */
export interface AskOptions {
  /** @default the listed host */
  readonly host?: string
  /** @default 'http/1.1' */
  readonly protocol?: 'http/1.1' | 'h2'
  /** The authority that the client trusts, PEM. @default that of the proxy */
  readonly ca?: string
}

/** Options of {@link startInterception}. */
export interface InterceptionOptions extends TestServerOptions {
  /** The protocol of the upstream. @default 'https', which is HTTP/1.1 */
  readonly protocol?: 'https' | 'h2'
}

/** Waits until the proxy listens, and gives its status. */
export function untilListening(
  server: TestServer,
  headers: Record<string, string> = {},
): Promise<MiddlewareStatus['mitm']> {
  return eventually(async () => {
    const { mitm } = middlewareStatus.parse((await server.call('/api/middleware/status', { headers })).json())
    if (mitm.listen_addr === '') throw new Error(mitm.error ?? 'it does not listen yet')
    return mitm
  })
}

/** Reads the port of an address. */
export function readPort(address: string | undefined): number {
  return Number(/\d+$/.exec(address ?? '')?.[0])
}

/** Starts the upstream and the server, whose proxy trusts the upstream by `--mitm-extra-ca`. */
export async function startInterception(options: InterceptionOptions = {}): Promise<InterceptionWorld> {
  const { protocol = 'https', flags = [], ...rest } = options
  const dir = await tempDir()
  const upstreamCa = createTestCa()
  await writeFile(dir.join('upstream.crt'), upstreamCa.cert)
  const hosts = [LISTED, OTHER, 'api.openai.com', 'api.anthropic.com'] as const
  const upstream = await startUpstream({ protocol, ca: upstreamCa, hosts })
  const server = await startTestServer({
    lookup,
    flags: ['--mitm-listen=127.0.0.1:0', `--mitm-extra-ca=${dir.join('upstream.crt')}`, ...flags],
    ...rest,
  })
  const { listen_addr: address } = await untilListening(server)
  const port = readPort(address)
  const ca = (await server.call('/api/middleware/proxy-ca.crt')).text
  const target = (host = LISTED): string => `${host}:${upstream.port}`
  return {
    server,
    upstream,
    upstreamCa,
    dir,
    ca,
    port,
    target,
    patterns: (name, patterns, action = 'mask') =>
      server.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          backend: 'pattern',
          pii_detection: {
            patterns: Object.entries(patterns).map(([group, match]) => ({ name: group, match })),
            default_action: action,
          },
        }),
      ),
    claims: (name, listed, pii) =>
      server.writeModelFile(`${name}.yaml`, stringify({ name, mitm: { hosts: listed }, pii })),
    status: async () => middlewareStatus.parse((await server.call('/api/middleware/status')).json()).mitm,
    async events(query = '') {
      const reply = await server.call(`/api/pii/events${query}`)
      return (reply.json() as { events: Record<string, unknown>[] }).events
    },
    async ask(asked, { host = LISTED, protocol: version = 'http/1.1', ca: trusted = ca } = {}) {
      const tls = await connectTlsThrough({ port }, target(host), { ca: trusted, protocols: [version] })
      if (version === 'http/1.1') return askHttp1(tls, target(host), asked).finally(() => tls.destroy())
      const session = connectHttp2(`https://${target(host)}`, { createConnection: () => tls })
      return askHttp2(session, asked).finally(() => session.destroy())
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await upstream.close()
      await dir.close()
    },
  }
}
