import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { type PreparedHeaders, toPreparedHeaders } from '@svc/http-reader'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Clock } from '../ports.ts'
import { CallLog, type CallSource, CallState, type EdgeParts, type RootLog } from './call.ts'
import { toCacheControl } from './entity-tag.ts'
import type { ServerRequest } from './messages.ts'
import { type Clients, readOrigin, readPrefix } from './middleware/client-address.ts'
import { applyCors, type CorsPolicy } from './middleware/cors.ts'
import { prepareHeaders } from './prepared-response.ts'
import type { RouteInfo } from './route-info.ts'
import { RunningCall, type RunningCalls } from './running-calls.ts'
import { OWN_PAGES_HEADER, SECURITY_HEADERS } from './security-headers.ts'

/** Status of a call that has become a socket. */
export const LEFT_HTTP = 101

/** Parts of {@link createCallStarter}. */
export interface CallStarterOptions extends Clients {
  readonly cors: () => CorsPolicy
  readonly baseUrl: string | undefined
  readonly machineTag: string | undefined
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: RootLog
}

/** Makes calls of requests. */
export interface CallStarter {
  /** Makes the call of a request: its id, signal, log and origin, and the headers that every reply has. */
  begin(route: RouteInfo, pattern: string, source: CallSource): CallState
  /** The prefixes that may be before the path of a request, each without a slash at its end. */
  prefixesOf(incoming: ServerRequest): readonly string[]
  /** Aborts every running and every later call with a reason. */
  abortAll(reason: SvcError): void
}

/** A URL without its query, ending in `/`. */
function withSlash(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, '')}/`
}

/** Headers of every reply. */
interface CommonHeaders extends PreparedHeaders {
  /** The names with the header that says how a reply may be kept. */
  readonly cachedNames: ReadonlySet<string>
}

/** Headers of every reply, with the names of the headers that differ from reply to reply. */
function toCommonHeaders(headers: readonly (readonly [string, string])[]): CommonHeaders {
  const { names, lines } = toPreparedHeaders(headers)
  const all = [...names, 'x-correlation-id', 'x-request-id', 'request-id']
  return { names: new Set(all), cachedNames: new Set([...all, 'cache-control']), lines }
}

/** Creates the starter of an edge's calls. A running call is in `running` until its reply is closed. */
export function createCallStarter(
  options: CallStarterOptions,
  { running, edge }: { readonly running: RunningCalls; readonly edge: EdgeParts },
): CallStarter {
  const { machineTag } = options
  const common = [...SECURITY_HEADERS, ...(machineTag === undefined ? [] : [['Machine-Tag', machineTag] as const])]
  const forAnyPage = toCommonHeaders(common)
  const forOwnPages = toCommonHeaders([...common, OWN_PAGES_HEADER])
  const ownBase = options.baseUrl === undefined ? undefined : withSlash(options.baseUrl)
  const ownPrefix = ownBase === undefined ? '' : new URL(ownBase).pathname.slice(0, -1)
  let ended: SvcError | undefined

  /** Puts a call among the running ones until its reply is closed, and counts and logs it then. */
  function follow({ incoming, outgoing }: CallSource, begun: BegunCall): RunningCall {
    const own = new RunningCall()
    running.add(own)
    if (ended !== undefined) own.end(ended)
    outgoing.once('close', () => {
      running.delete(own)
      if (!outgoing.writableFinished)
        own.end(new SvcError('cancelled', 'the client closed the connection', { code: 'client_gone' }))
      const { route, pattern } = begun
      const seconds = (options.clock.monotonic() - begun.startedAt) / 1000
      const isSocket = outgoing.statusCode === LEFT_HTTP
      // The time that a socket was open is not the duration of a call.
      if (route.path !== '/metrics' && !isSocket) options.metrics.observeCall(incoming.method ?? '', pattern, seconds)
      const status = outgoing.writableFinished || isSocket ? outgoing.statusCode : 499
      if (route.quiet !== true) begun.log.debug({ method: incoming.method, status, seconds }, 'request served')
    })
    return own
  }

  return {
    begin(route, pattern, source) {
      const { incoming, outgoing } = source
      const startedAt = options.clock.monotonic()
      const requestId = chooseRequestId(incoming)
      const origin = readOrigin(incoming, options)
      const log = new CallLog(options.log, { requestId, route: pattern })
      const own = follow(source, { route, pattern, startedAt, log })
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
        edge,
        clientAddress: origin.address,
        baseUrl: ownBase ?? `${origin.secure ? 'https' : 'http'}://${origin.host}${readPrefix(incoming, options)}/`,
        startedAt,
        log,
      })
    },
    prefixesOf: (incoming) => [readPrefix(incoming, options), ownPrefix].filter((prefix) => prefix !== ''),
    abortAll(reason) {
      ended = reason
      running.endAll(reason)
    },
  }
}

/** A call at its begin. */
interface BegunCall {
  readonly route: RouteInfo
  readonly pattern: string
  /** Milliseconds of the monotonic clock. */
  readonly startedAt: number
  readonly log: CallLog
}

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/

/** The client's correlation id when it is well formed (threats LOG-1), else a new UUID. */
function chooseRequestId(incoming: ServerRequest): string {
  const given = incoming.headers['x-correlation-id'] ?? incoming.headers['x-request-id']
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID()
}
