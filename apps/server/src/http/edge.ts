import type { Revocation } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { type PreparedHeaders, toPreparedHeaders } from '@svc/http-reader'
import type { UpstreamStatusError } from '@svc/proxy'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Clock } from '../ports.ts'
import { toPublicError } from '../public-error.ts'
import type { BodyReader } from './body.ts'
import { type Call, CallLog, type CallSource, CallState, type EdgeParts, type RootLog } from './call.ts'
import { type CompressionPolicy, sendBody } from './compression.ts'
import { endReply } from './end-reply.ts'
import { isRevalidated, isUnchanged, toCacheControl } from './entity-tag.ts'
import { errorBody } from './error-envelopes.ts'
import { isPermanent, readContentRange, retryAfterSeconds, toStatus } from './error-map.ts'
import { ALREADY_SENT, type HttpReply } from './http-reply.ts'
import type { ServerRequest } from './messages.ts'
import { ANONYMOUS } from './middleware/authenticate.ts'
import type { Gate } from './middleware/authorize.ts'
import { readOrigin, readPrefix, type TrustedProxies } from './middleware/client-address.ts'
import { applyCors, applyPreflight, type CorsPolicy } from './middleware/cors.ts'
import { checkCrossSite, checkSocketOrigin } from './middleware/csrf.ts'
import { checkHost, checkSingleHost, type HostPolicy } from './middleware/host.ts'
import { nothingHere, readAllowedMethods } from './nothing-here.ts'
import { prepareHeaders } from './prepared-response.ts'
import { createReauthorizer } from './reauthorizer.ts'
import { chooseRequestId } from './request-id.ts'
import type { Route } from './route.ts'
import { findChange, type MadeChange, toChangeOutcome, toFailedOutcome } from './route-audit.ts'
import type { ErrorFamily, RouteInfo } from './route-info.ts'
import type { KnownPath } from './route-table.ts'
import { RunningCall, RunningCalls } from './running-calls.ts'
import { OWN_PAGES_HEADER, SECURITY_HEADERS } from './security-headers.ts'
import { stayInHttp, type Upgrade } from './upgrade.ts'
import { createSockets, type SocketLimits } from './websocket.ts'

/** The parts of the edge. Settings can change the ones that are functions; they are called for each request. */
export interface EdgeOptions {
  readonly gate: Gate
  readonly cors: () => CorsPolicy
  /** The names that a request may be addressed to where nothing else proves that its sender knows this server. */
  readonly host: HostPolicy
  /** Whether the names hold for every request. While auth is configured they hold only where its gate was opened. */
  readonly checksHost: () => boolean
  /** Whether changes that pages elsewhere ask for are refused. @default always */
  readonly refusesCrossSite?: (() => boolean) | undefined
  /** Gives a caller whose session is due for it a new value. Must not throw. @default nothing */
  readonly renewSession?: ((call: Call) => Promise<void>) | undefined
  /** Records a change that a call has made. Must not reject. @default nothing */
  readonly recordChange?: ((call: Call, change: MadeChange) => Promise<void>) | undefined
  readonly proxies: TrustedProxies
  readonly baseUrl: string | undefined
  readonly compression: CompressionPolicy
  readonly machineTag: string | undefined
  readonly opaqueErrors: boolean
  /** Counts the messages of sockets. */
  readonly bodies: BodyReader
  readonly sockets?: Partial<SocketLimits> | undefined
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: RootLog
}

/** Status of a call that has become a socket. */
const LEFT_HTTP = 101

/** The route of requests without a route: metrics and logs never see the client's path. */
const UNMATCHED: RouteInfo = {
  method: 'GET',
  path: 'unmatched',
  access: 'none',
  family: 'compatible',
  tag: '',
  summary: '',
}

/** The HTTP edge: everything around a handler, in the order of the request path (docs/behaviour.md). */
export interface Edge {
  /** Serves a request of a route. */
  serve(route: Route, pattern: string, source: CallSource): Promise<void>
  /** Serves a request without a route: preflights, 404, 405 with `Allow`. */
  serveUnmatched(source: CallSource, known: KnownPath): Promise<void>
  /** Sends the client to another path of this server. */
  redirect(source: CallSource, location: string): Promise<void>
  /** The prefixes that may stand before the path of a request, each without a slash at its end. */
  prefixesOf(incoming: ServerRequest): readonly string[]
  /**
   * Asks the gate again for every open socket, running inference and reply that has begun, such as a stream of events, and
   * ends the ones that it refuses (threats AU-7). Call it when rights have changed.
   *
   * @param revocation whose rights have changed. @default anybody's
   * @returns whether everybody could be asked for: false while the stores are away
   */
  reauthorize(revocation?: Revocation): Promise<boolean>
  /**
   * Asks the gate again for everything of callers whose credential has expired, and ends it as {@link reauthorize} does.
   * No look-up is needed.
   */
  endExpired(): Promise<void>
  /** Closes every socket once it has answered its current message. */
  drainSockets(): void
  /** Aborts every running and every later call with a reason. */
  abortAll(reason: SvcError): void
}

/** A URL without its query, ending in `/`. */
function withSlash(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, '')}/`
}

/** Knows the error of an upstream by its name: its class would load the proxy together with the edge. */
function isUpstreamError(error: SvcError): error is UpstreamStatusError {
  return error.name === 'UpstreamStatusError'
}

/** The reply of an upstream that answered with an error, unchanged (§6.5). */
function upstreamReply({ status, contentType = 'application/octet-stream', body, headers }: UpstreamStatusError) {
  return { status, contentType, body, headers: Object.fromEntries(headers) }
}

/**
 * Whether an exception of the operator opened the gate for a call that may change something: as on a server without auth,
 * only the name in `Host` tells a page of this server from one whose name leads here.
 */
function isOpened({ authentication, incoming }: CallState, route: Route): boolean {
  if (authentication !== ANONYMOUS || route.access === 'none') return false
  return route.serveSocket !== undefined || (incoming.method !== 'GET' && incoming.method !== 'HEAD')
}

/** Headers of every reply. */
interface CommonHeaders extends PreparedHeaders {
  /** The names with the header that says how a reply may be kept. */
  readonly cachedNames: ReadonlySet<string>
}

/** Headers of every reply, with the names of those that differ from reply to reply. */
function toCommonHeaders(headers: readonly (readonly [string, string])[]): CommonHeaders {
  const { names, lines } = toPreparedHeaders(headers)
  const all = [...names, 'x-correlation-id', 'x-request-id', 'request-id']
  return { names: new Set(all), cachedNames: new Set([...all, 'cache-control']), lines }
}

/** Makes the edge. */
export function createEdge(options: EdgeOptions): Edge {
  const running = new RunningCalls()
  const derived = new RunningCalls()
  const sockets = createSockets({ bodies: options.bodies, limits: options.sockets })
  const rights = createReauthorizer({ gate: options.gate, sockets, running: [running, derived] })
  const { machineTag, refusesCrossSite = () => true, recordChange: record = async () => undefined } = options
  const parts: EdgeParts = { derived, record, confirm: (call) => rights.confirm(call, options.clock.now()) }
  const common = [...SECURITY_HEADERS, ...(machineTag === undefined ? [] : [['Machine-Tag', machineTag] as const])]
  const forAnyPage = toCommonHeaders(common)
  const forOwnPages = toCommonHeaders([...common, OWN_PAGES_HEADER])
  const ownBase = options.baseUrl === undefined ? undefined : withSlash(options.baseUrl)
  const ownPrefix = ownBase === undefined ? '' : new URL(ownBase).pathname.slice(0, -1)
  let ended: SvcError | undefined

  function begin(route: RouteInfo, pattern: string, source: CallSource): CallState {
    const { incoming, outgoing } = source
    const startedAt = options.clock.monotonic()
    const requestId = chooseRequestId(incoming)
    const origin = readOrigin(incoming, options.proxies)
    const own = new RunningCall()
    running.add(own)
    if (ended !== undefined) own.end(ended)
    const log = new CallLog(options.log, { requestId, route: pattern })
    outgoing.once('close', () => {
      running.delete(own)
      if (!outgoing.writableFinished)
        own.end(new SvcError('cancelled', 'the client closed the connection', { code: 'client_gone' }))
      const seconds = (options.clock.monotonic() - startedAt) / 1000
      const isSocket = outgoing.statusCode === LEFT_HTTP
      // The time that a socket was open is no duration of a call.
      if (route.path !== '/metrics' && !isSocket) options.metrics.observeCall(incoming.method ?? '', pattern, seconds)
      const status = outgoing.writableFinished || isSocket ? outgoing.statusCode : 499
      if (route.quiet !== true) log.debug({ method: incoming.method, status, seconds }, 'request served')
    })
    const cors = options.cors()
    const { names, cachedNames, lines } = cors.mode === 'own' ? forOwnPages : forAnyPage
    const cacheControl = toCacheControl(route)
    prepareHeaders(outgoing, {
      names: cacheControl === '' ? names : cachedNames,
      lines: `${lines}${cacheControl}X-Correlation-ID: ${requestId}\r\nx-request-id: ${requestId}\r\nrequest-id: ${requestId}\r\n`,
    })
    applyCors(incoming, outgoing, cors)
    return new CallState(source, {
      route,
      requestId,
      running: own,
      edge: parts,
      clientAddress: origin.address,
      baseUrl:
        ownBase ?? `${origin.secure ? 'https' : 'http'}://${origin.host}${readPrefix(incoming, options.proxies)}/`,
      startedAt,
      log,
    })
  }

  function checkAddressed(call: CallState): void {
    const { httpVersion = '1.1', headers } = call.incoming
    if (headers.host === undefined && httpVersion === '1.1')
      throw new SvcError('invalid_request', 'an HTTP/1.1 request needs a Host header', { code: 'missing_host' })
    checkSingleHost(call.incoming.rawHeaders)
    if (options.checksHost()) checkHost(call.incoming.headers.host, options.host)
  }

  /** Answers with an error. Cuts a reply that has begun: its writer has sent the error in-band. */
  async function fail(call: CallState, thrown: unknown, family: ErrorFamily): Promise<void> {
    const error = toPublicError(thrown)
    const status = toStatus(error)
    const { outgoing } = call
    if (error.kind === 'internal' && !SvcError.is(thrown))
      call.log.error({ err: thrown }, 'request failed unexpectedly')
    else if (status >= 500) call.log.warn({ code: error.code, status, err: error }, 'request failed')
    if (outgoing.headersSent || outgoing.destroyed) {
      if (!outgoing.writableEnded) outgoing.destroy()
      return
    }
    const retryAfter = retryAfterSeconds(error)
    if (retryAfter !== undefined) outgoing.setHeader('Retry-After', String(retryAfter))
    if (status === 401) outgoing.setHeader('WWW-Authenticate', 'Bearer')
    if (isPermanent(error)) outgoing.setHeader('x-should-retry', 'false')
    const range = readContentRange(error)
    if (range !== undefined) outgoing.setHeader('Content-Range', range)
    const allow = readAllowedMethods(error)
    if (allow !== undefined) outgoing.setHeader('Allow', allow)
    if (isUpstreamError(error) && !options.opaqueErrors) {
      await sendBody(call, upstreamReply(error), options.compression)
      return
    }
    if (options.opaqueErrors) {
      outgoing.writeHead(status, { 'Content-Length': 0 })
      endReply(call)
      return
    }
    const body = Buffer.from(JSON.stringify(errorBody(error, family)))
    await sendBody(call, { status, contentType: 'application/json', body }, options.compression)
  }

  /** Sends a handler's reply with the headers that are already set on it. */
  async function send(call: CallState, reply: HttpReply): Promise<void> {
    if (reply === ALREADY_SENT) return
    const { status, body } = reply
    const { 'content-type': contentType, ...headers } = reply.headers
    if (body.length === 0 && contentType === undefined) {
      for (const [name, value] of Object.entries(headers)) call.outgoing.setHeader(name, value)
      call.outgoing.writeHead(status, status === 204 || status === 304 ? {} : { 'Content-Length': 0 })
      endReply(call)
      return
    }
    if (status === 200 && isRevalidated(call) && isUnchanged(call, reply)) {
      call.outgoing.writeHead(304, {})
      endReply(call)
      return
    }
    const sent = { status, contentType: contentType ?? 'application/octet-stream', body, headers }
    await sendBody(call, sent, options.compression)
  }

  /** Has a route answer a call that changes something. The audit log has the change before the client has the reply. */
  async function change(route: Route, call: CallState): Promise<HttpReply> {
    try {
      const reply = await route.handler(call)
      const outcome = toChangeOutcome(reply === ALREADY_SENT ? call.outgoing.statusCode : reply.status)
      if (outcome !== undefined) await call.recordChange(outcome)
      return reply
    } catch (error) {
      const outcome = toFailedOutcome(toPublicError(error))
      if (outcome !== undefined) await call.recordChange(outcome)
      throw error
    }
  }

  /** Opens the socket of a call that passed the gate, and serves it to its end. */
  async function serveSocket(
    serve: NonNullable<Route['serveSocket']>,
    call: CallState,
    { upgrade, asked }: { readonly upgrade: Upgrade; readonly asked: number },
  ): Promise<void> {
    if (refusesCrossSite()) checkSocketOrigin(call, options.cors())
    const socket = await sockets.accept(upgrade, call, (changes) => rights.begin(call, changes))
    call.outgoing.statusCode = LEFT_HTTP
    options.metrics.observeCall('GET', call.route.path, (options.clock.monotonic() - call.startedAt) / 1000)
    try {
      // A change of rights could not reach the socket before it was open.
      if (asked !== rights.generation) await rights.afterOpening(call)
      await serve(socket)
      socket.close(1001, 'the server is stopping')
    } catch (thrown) {
      if (!call.signal.aborted) call.log.error({ err: thrown }, 'a socket failed unexpectedly')
      socket.close(1011, 'internal server error')
    }
  }

  return {
    reauthorize: (revocation = { kind: 'all' }) => rights.afterRevocation(revocation),
    endExpired: () => rights.afterExpiry(options.clock.now()),
    drainSockets: () => sockets.drain(),
    abortAll(reason) {
      ended = reason
      running.endAll(reason)
    },
    async serve(route, pattern, source) {
      const call = begin(route, pattern, source)
      try {
        checkAddressed(call)
        const matched = { pattern, path: source.path }
        const asked = rights.generation
        const found = options.gate.admit(route, matched, call.incoming)
        // An `await` would cost a turn of the event loop, and most credentials are known.
        call.authentication = found instanceof Promise ? await found : found
        if (isOpened(call, route)) checkHost(call.incoming.headers.host, options.host)
        call.matched = matched
        call.rightsGeneration = asked
        const { upgrade } = source
        if (upgrade !== undefined) {
          if (route.serveSocket !== undefined) return await serveSocket(route.serveSocket, call, { upgrade, asked })
          stayInHttp(upgrade)
        }
        call.abort.admitted = call
        if (refusesCrossSite()) checkCrossSite(call, options.cors())
        if (call.authentication.isRotationDue) await options.renewSession?.(call)
        // What was found before rights have changed may not hold any more.
        if (asked !== rights.generation) await call.confirm()
        await send(call, await (findChange(route) === undefined ? route.handler(call) : change(route, call)))
      } catch (thrown) {
        const error = route.mapError === undefined ? thrown : route.mapError(toPublicError(thrown))
        return fail(call, error, route.family)
      }
    },
    async redirect(source, location) {
      const call = begin(UNMATCHED, 'unmatched', source)
      try {
        checkAddressed(call)
        call.outgoing.setHeader('Location', location)
        call.outgoing.writeHead(302, { 'Content-Length': 0 })
        endReply(call)
        return
      } catch (thrown) {
        return fail(call, thrown, 'compatible')
      }
    },
    prefixesOf: (incoming) => [readPrefix(incoming, options.proxies), ownPrefix].filter((prefix) => prefix !== ''),
    async serveUnmatched(source, { methods, family }) {
      const call = begin(UNMATCHED, 'unmatched', source)
      const { incoming, outgoing } = call
      try {
        checkAddressed(call)
        if (incoming.method === 'OPTIONS') {
          applyPreflight(incoming, outgoing)
          outgoing.writeHead(204, {})
          endReply(call)
          return
        }
        throw nothingHere(incoming.method, methods)
      } catch (thrown) {
        return fail(call, thrown, family)
      }
    },
  }
}
