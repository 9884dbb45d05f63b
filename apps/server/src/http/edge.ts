import type { Revocation } from '@svc/auth'
import { SvcError } from '@svc/errors'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Clock } from '../ports.ts'
import { toPublicError } from '../public-error.ts'
import { createCallAnswers } from './answer-call.ts'
import { createCallStarter, LEFT_HTTP } from './begin-call.ts'
import type { BodyReader } from './body.ts'
import type { Call, CallSource, CallState, EdgeParts, RootLog } from './call.ts'
import { changeAndRecord } from './change-and-record.ts'
import type { CompressionPolicy } from './compression.ts'
import { endReply } from './end-reply.ts'
import { createInnerService, type PerformInside } from './inner-call.ts'
import type { ServerRequest } from './messages.ts'
import { ANONYMOUS } from './middleware/authenticate.ts'
import type { Gate } from './middleware/authorize.ts'
import type { Clients } from './middleware/client-address.ts'
import { applyPreflight, type CorsPolicy } from './middleware/cors.ts'
import { checkCrossSite, checkSocketOrigin } from './middleware/csrf.ts'
import { checkHost, checkSingleHost, type HostPolicy } from './middleware/host.ts'
import { nothingHere } from './nothing-here.ts'
import { createReauthorizer, type Reauthorizer } from './reauthorizer.ts'
import type { Route } from './route.ts'
import { findChange, type MadeChange } from './route-audit.ts'
import type { ErrorFamily, RouteInfo } from './route-info.ts'
import type { KnownPath } from './route-table.ts'
import { RunningCalls } from './running-calls.ts'
import { stayInHttp, type Upgrade } from './upgrade.ts'
import { createSockets, type SocketLimits, type Sockets } from './websocket.ts'

/** The parts of the edge. Settings can change the ones that are functions; they are called for each request. */
export interface EdgeOptions extends Clients {
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
  /** Answers a request that the server makes itself, for a caller whose request it serves. */
  readonly performInside: PerformInside
  /** Sends the client to another path of this server. */
  redirect(source: CallSource, location: string): Promise<void>
  /** The prefixes that the path of a request may begin with, each without a slash at its end. */
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

/**
 * Whether an exception of the operator opened the gate for a call that may change something: as on a server without auth,
 * only the name in `Host` tells a page of this server from one whose name leads here.
 */
function isOpened({ authentication, incoming }: CallState, route: Route): boolean {
  if (authentication !== ANONYMOUS || route.access === 'none' || route.access === 'node') return false
  return route.serveSocket !== undefined || (incoming.method !== 'GET' && incoming.method !== 'HEAD')
}

/** Makes the edge. */
export function createEdge(options: EdgeOptions): Edge {
  const running = new RunningCalls()
  const derived = new RunningCalls()
  const sockets = createSockets({ bodies: options.bodies, limits: options.sockets })
  const rights = createReauthorizer({ gate: options.gate, sockets, running: [running, derived] })
  const { refusesCrossSite = () => true, recordChange: record = async () => undefined } = options
  const edge: EdgeParts = { derived, record, confirm: (call) => rights.confirm(call, options.clock.now()) }
  const { begin, prefixesOf, abortAll } = createCallStarter(options, { running, edge })
  const answers = createCallAnswers(options)
  const { send, fail } = answers
  const serveSocket = createSocketService(options, { sockets, rights, refusesCrossSite })

  /** Serves a call without a route. */
  async function serveUnmatched(source: CallSource, family: ErrorFamily, answer: (call: CallState) => void) {
    const call = begin(UNMATCHED, 'unmatched', source)
    try {
      checkAddressed(call, options)
      answer(call)
      endReply(call)
    } catch (thrown) {
      return fail(call, thrown, family)
    }
  }

  return {
    reauthorize: (revocation = { kind: 'all' }) => rights.afterRevocation(revocation),
    endExpired: () => rights.afterExpiry(options.clock.now()),
    drainSockets: () => sockets.drain(),
    abortAll,
    performInside: createInnerService({ ...options, ...answers, edge, generation: () => rights.generation }),
    async serve(route, pattern, source) {
      const call = begin(route, pattern, source)
      try {
        checkAddressed(call, options)
        const matched = { pattern, path: source.path }
        const asked = rights.generation
        const found = options.gate.admit({ route, matched, clientAddress: call.clientAddress }, call.incoming)
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
        // Rights may have changed since the request was checked.
        if (asked !== rights.generation) await call.confirm()
        await send(call, await (findChange(route) === undefined ? route.handler(call) : changeAndRecord(route, call)))
      } catch (thrown) {
        const error = route.mapError === undefined ? thrown : route.mapError(toPublicError(thrown))
        return fail(call, error, route.family)
      }
    },
    redirect: (source, location) =>
      serveUnmatched(source, 'compatible', ({ outgoing }) => {
        outgoing.setHeader('Location', location)
        outgoing.writeHead(302, { 'Content-Length': 0 })
      }),
    prefixesOf,
    serveUnmatched: (source, { methods, family }) =>
      serveUnmatched(source, family, ({ incoming, outgoing }) => {
        if (incoming.method !== 'OPTIONS') throw nothingHere(incoming.method, methods)
        applyPreflight(incoming, outgoing)
        outgoing.writeHead(204, {})
      }),
  }
}

/** Refuses a request that does not say whom it is for, or is for another server. */
function checkAddressed({ incoming }: CallState, { checksHost, host }: Pick<EdgeOptions, 'checksHost' | 'host'>): void {
  const { httpVersion = '1.1', headers } = incoming
  if (headers.host === undefined && httpVersion === '1.1')
    throw new SvcError('invalid_request', 'an HTTP/1.1 request needs a Host header', { code: 'missing_host' })
  checkSingleHost(incoming.rawHeaders)
  if (checksHost()) checkHost(headers.host, host)
}

/** Creates the function that opens the socket of a call that passed the gate, and serves it to its end. */
function createSocketService(
  { cors, metrics, clock }: Pick<EdgeOptions, 'cors' | 'metrics' | 'clock'>,
  parts: { readonly sockets: Sockets; readonly rights: Reauthorizer; readonly refusesCrossSite: () => boolean },
) {
  const { sockets, rights } = parts
  return async (
    serve: NonNullable<Route['serveSocket']>,
    call: CallState,
    { upgrade, asked }: { readonly upgrade: Upgrade; readonly asked: number },
  ): Promise<void> => {
    if (parts.refusesCrossSite()) checkSocketOrigin(call, cors())
    const socket = await sockets.accept(upgrade, call, (changes) => rights.begin(call, changes))
    call.outgoing.statusCode = LEFT_HTTP
    metrics.observeCall('GET', call.route.path, (clock.monotonic() - call.startedAt) / 1000)
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
}
