import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import { connect } from 'node:net'
import { createAuth, type SharedKeys } from '@svc/auth'
import { createMemoryStores } from '@svc/auth/memory'
import { systemClock } from '../../src/clock.ts'
import { createApp } from '../../src/http/app.ts'
import { createBodyReader } from '../../src/http/body.ts'
import type { ConnectionLimits } from '../../src/http/connection-limits.ts'
import { createEdge, type Edge, type EdgeOptions } from '../../src/http/edge.ts'
import { listen } from '../../src/http/listen.ts'
import type { Authenticator } from '../../src/http/middleware/authenticate.ts'
import { createGate } from '../../src/http/middleware/authorize.ts'
import { trustedProxies } from '../../src/http/middleware/client-address.ts'
import { corsPolicy } from '../../src/http/middleware/cors.ts'
import { hostPolicy } from '../../src/http/middleware/host.ts'
import type { Route } from '../../src/http/route.ts'
import { createLogger } from '../../src/logging/log.ts'
import { createMetrics } from '../../src/monitoring/metrics.ts'
import { HTTP_READER } from './http-reader.ts'

/** A reply as read from the socket. */
export interface RawReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
  json(): unknown
}

/** Options of a request. */
export interface RawRequest {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

/** Sends one request over its own connection, exactly as given. */
export function call(base: string, path: string, options: RawRequest = {}): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const url = new URL(base)
    const outgoing = request(
      {
        host: url.hostname,
        port: url.port,
        path,
        method: options.method ?? 'GET',
        headers: options.headers,
        agent: false,
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const body = Buffer.concat(chunks)
          const text = body.toString('utf8')
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body,
            text,
            json: () => JSON.parse(text) as unknown,
          })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(options.body)
  })
}

/** Writes raw bytes and reads until the server closes. */
export function rawCall(base: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}

/** A running application of the given routes. */
export interface TestApp {
  readonly url: string
  readonly logLines: string[]
  readonly metrics: ReturnType<typeof createMetrics>
  readonly sharedKeys: SharedKeys
  readonly reauthorize: Edge['reauthorize']
  call(path: string, options?: RawRequest): Promise<RawReply>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts routes behind a real edge on a free port. */
export async function startTestApp(
  routes: readonly Route[],
  options: Partial<Omit<EdgeOptions, 'gate' | 'log' | 'metrics'>> & {
    keys?: readonly string[]
    pathWithoutAuth?: readonly string[]
    isExempt?: (pattern: string) => boolean
    allowOrigins?: string
    allowedHosts?: readonly string[]
    /** Finds out who is calling. @default shared keys */
    authenticator?: Authenticator
    connectionLimits?: Partial<ConnectionLimits>
  } = {},
): Promise<TestApp> {
  const {
    keys = [],
    pathWithoutAuth = [],
    isExempt,
    allowOrigins = '',
    allowedHosts = [],
    authenticator: given,
    connectionLimits: limits,
    ...edge
  } = options
  const logLines: string[] = []
  const metrics = createMetrics()
  const { authenticator: ofKeys, sharedKeys } = createAuth({
    stores: createMemoryStores(),
    secret: 'the secret of a server in a test',
    sharedKeys: keys,
    hasAccounts: false,
  })
  const authenticator = given ?? ofKeys
  const served = createEdge({
    gate: createGate(authenticator, { pathWithoutAuth, isExempt }),
    cors: () => corsPolicy({ allowOrigins, authConfigured: authenticator.isConfigured }),
    host: hostPolicy(undefined, allowedHosts),
    checksHost: () => !authenticator.isConfigured,
    proxies: trustedProxies([]),
    baseUrl: undefined,
    compression: { enabled: true, minLength: 1024 },
    machineTag: undefined,
    opaqueErrors: false,
    bodies: createBodyReader({ maxBytes: 64 * 1024, idleMs: 30_000, totalBytes: 1024 * 1024 }),
    metrics,
    clock: systemClock,
    log: createLogger({ level: 'trace', format: 'json', destination: { write: (line) => logLines.push(line) } }),
    ...edge,
  })
  const app = createApp(routes, served)
  const listener = await listen(app, { host: '127.0.0.1', port: 0 }, { httpReader: HTTP_READER, limits })
  return {
    url: listener.url,
    logLines,
    metrics,
    sharedKeys,
    reauthorize: (revocation) => served.reauthorize(revocation),
    call: (path, request) => call(listener.url, path, request),
    async [Symbol.asyncDispose]() {
      const drained = listener.drain()
      listener.destroy()
      await drained
    },
  }
}
