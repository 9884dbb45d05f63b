import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { createTestCa, type TestCa } from './certificates.ts'
import { createDeferred } from './deferred.ts'
import { listenOnFreePort } from './http-server.ts'
import { trackSockets } from './sockets.ts'

/** A request exactly as it came. */
export interface RecordedRequest {
  readonly method: string
  /** The request target as written, not decoded. */
  readonly path: string
  /** Names and values as written, in order, repeated ones included; over h2 pseudo headers too. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body's bytes, transfer encoding taken off, content encoding not. */
  readonly body: Uint8Array
  readonly httpVersion: string
  /** Values of a header, names compared without case. */
  header(name: string): string[]
  /** The body as UTF-8. */
  text(): string
  /** Resolves once the reply is over: `finished`, or `aborted` when the client left or the reply was cut. */
  readonly outcome: Promise<'finished' | 'aborted'>
}

/** A piece of a reply's body: bytes to write, or a promise to wait for before going on. */
export type ReplyStep = string | Uint8Array | Promise<unknown>

/** The reply to a request. */
export interface UpstreamReply {
  /** @default 200 */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** The body: at once, or step by step; the steps before a gate are sent before the gate is awaited. */
  readonly body?: string | Uint8Array | Iterable<ReplyStep> | AsyncIterable<ReplyStep> | undefined
  /** End of the body; `cut` drops the connection (over h2: the stream) in the middle. @default 'finish' */
  readonly end?: 'finish' | 'cut' | undefined
}

/** A reply, or a function that creates one from the request. */
export type UpstreamScript = UpstreamReply | ((request: RecordedRequest) => UpstreamReply | Promise<UpstreamReply>)

/** Options of {@link startUpstream}. */
export interface UpstreamOptions {
  /** `https` speaks HTTP/1.1, `h2` only HTTP/2. @default 'http' */
  readonly protocol?: 'http' | 'https' | 'h2' | undefined
  /** Names its certificate is for. @default localhost and 127.0.0.1 */
  readonly hosts?: readonly [string, ...string[]] | undefined
  /** Issuer of its certificate. @default an authority of its own */
  readonly ca?: TestCa | undefined
}

/** A server that records requests and sends scripted replies. */
export interface Upstream extends AsyncDisposable {
  readonly port: number
  /** Such as `https://localhost:40123`. */
  readonly origin: string
  /** Certificate to trust, PEM; undefined over plain HTTP. */
  readonly caCert: string | undefined
  /** Every request whose body has arrived completely, in that order. */
  readonly requests: readonly RecordedRequest[]
  /** Number of accepted connections so far. */
  readonly connections: number
  /** Sets the next reply, for one request; several are used in the order given. */
  enqueue(...scripts: UpstreamScript[]): void
  /** Sets the reply for requests without an enqueued one. @default 200 with an empty JSON object */
  replyWith(script: UpstreamScript): void
  /** The request with this number, counted from 0, as soon as it has arrived. */
  request(index: number): Promise<RecordedRequest>
  close(): Promise<void>
}

type AnyRequest = IncomingMessage | Http2ServerRequest
type AnyResponse = ServerResponse | Http2ServerResponse

/** Starts an upstream on a free port of the loopback interface. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const { protocol = 'http', hosts = ['localhost', '127.0.0.1'] } = options
  const ca = protocol === 'http' ? undefined : (options.ca ?? createTestCa())
  const requests: RecordedRequest[] = []
  const watchers = new Set<() => void>()
  const queue: UpstreamScript[] = []
  let standing: UpstreamScript = { headers: { 'content-type': 'application/json' }, body: '{}' }

  const serve = async (request: AnyRequest, response: AnyResponse) => {
    const outcome = createDeferred<'finished' | 'aborted'>()
    response.once('close', () => outcome.resolve(isFinished(response) ? 'finished' : 'aborted'))
    const recorded = await record(request, outcome.promise)
    requests.push(recorded)
    for (const watcher of [...watchers]) watcher()
    const script = queue.shift() ?? standing
    await answer(response, typeof script === 'function' ? await script(recorded) : script)
  }
  const listener = (request: AnyRequest, response: AnyResponse) => {
    serve(request, response).catch(() => cut(response))
  }
  const server = createServer(protocol, ca?.issue(hosts), listener)
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)

  return {
    port,
    origin: `${protocol === 'http' ? 'http' : 'https'}://${hosts[0]}:${port}`,
    caCert: ca?.cert,
    requests,
    get connections() {
      return sockets.accepted
    },
    enqueue(...scripts) {
      queue.push(...scripts)
    },
    replyWith(script) {
      standing = script
    },
    request(index) {
      return new Promise((resolve) => {
        const watcher = () => {
          const found = requests[index]
          if (found === undefined) return
          watchers.delete(watcher)
          resolve(found)
        }
        watchers.add(watcher)
        watcher()
      })
    },
    close: sockets.close,
    [Symbol.asyncDispose]: sockets.close,
  }
}

function createServer(
  protocol: 'http' | 'https' | 'h2',
  certificate: { cert: string; key: string } | undefined,
  listener: (request: AnyRequest, response: AnyResponse) => void,
) {
  if (certificate === undefined) return createHttpServer({ keepAliveTimeout: 0, requestTimeout: 0 }, listener)
  if (protocol === 'h2') return createSecureServer(certificate, listener)
  return createHttpsServer({ ...certificate, keepAliveTimeout: 0, requestTimeout: 0 }, listener)
}

async function record(request: AnyRequest, outcome: Promise<'finished' | 'aborted'>): Promise<RecordedRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const raw = request.rawHeaders
  const headers = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    body,
    httpVersion: request.httpVersion,
    header: (wanted) =>
      headers.filter(([name]) => name.toLowerCase() === wanted.toLowerCase()).map(([, value]) => value),
    text: () => body.toString('utf8'),
    outcome,
  }
}

async function answer(response: AnyResponse, reply: UpstreamReply): Promise<void> {
  const gone = new Promise<void>((resolve) => response.once('close', () => resolve()))
  response.statusCode = reply.status ?? 200
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    response.setHeader(name, typeof value === 'string' ? value : [...value])
  }
  const { body = '' } = reply
  if (typeof body === 'string' || body instanceof Uint8Array) {
    if (reply.end !== 'cut') {
      response.end(body)
      return
    }
    await write(response, body, gone)
  } else {
    for await (const step of gates(body, gone)) await write(response, step, gone)
  }
  if (reply.end === 'cut') cut(response)
  else response.end()
}

/** The bytes of a body's steps; ends when the client has gone. */
async function* gates(
  body: Iterable<ReplyStep> | AsyncIterable<ReplyStep>,
  gone: Promise<void>,
): AsyncGenerator<string | Uint8Array, void, undefined> {
  let hasGone = false
  void gone.then(() => {
    hasGone = true
  })
  // An iterator over promises would await them itself, and for ever.
  const iterator = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]()
  while (!hasGone) {
    const next = await Promise.race([iterator.next(), gone])
    if (next === undefined || next.done === true) return
    if (next.value instanceof Promise) await Promise.race([next.value, gone])
    else yield next.value
  }
}

/** Writes and waits until the bytes have been handed to the system, or the client has gone. */
async function write(response: AnyResponse, bytes: string | Uint8Array, gone: Promise<void>): Promise<void> {
  const written = new Promise<void>((resolve) => {
    // Both kinds of reply take any bytes; their declared types share no signature.
    if ('stream' in response) response.write(bytes, () => resolve())
    else response.write(bytes, () => resolve())
  })
  await Promise.race([written, gone])
}

function isFinished(response: AnyResponse): boolean {
  if (!('stream' in response)) return response.writableFinished
  return response.writableEnded && response.stream.rstCode === constants.NGHTTP2_NO_ERROR
}

function cut(response: AnyResponse): void {
  if ('stream' in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  else response.destroy()
}
