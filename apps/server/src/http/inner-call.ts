import type { Authentication, Principal } from '@svc/auth'
import { checkAccess } from '@svc/auth/access'
import { toSvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'
import { toPublicError } from '../public-error.ts'
import type { CallAnswers } from './answer-call.ts'
import { CallLog, type CallSource, CallState, type EdgeParts, type RootLog } from './call.ts'
import { changeAndRecord } from './change-and-record.ts'
import { createMemoryReply } from './memory-reply.ts'
import type { Gate, MatchedPath } from './middleware/authorize.ts'
import type { Route } from './route.ts'
import { findChange } from './route-audit.ts'
import { RunningCall } from './running-calls.ts'

/** The caller for whom the server makes a request itself. */
export interface InnerCaller {
  readonly principal: Principal
  /** The credential of the request that is served. @default the caller is known by other means, such as a stored account */
  readonly authentication?: Authentication | undefined
  readonly requestId: string
  /** Network address. @default empty */
  readonly clientAddress?: string | undefined
  /** The address of this server as the caller sees it, ending in `/`. */
  readonly baseUrl: string
}

/** A request to a route of this server. */
export interface InnerRequest {
  readonly route: Route
  /** Values of the path by name, not encoded; `*` is the end of a path with a wildcard. */
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Uint8Array | undefined
  /** The tool that makes the request, for the audit log. */
  readonly tool: string
  /** Bytes of the reply that are kept. */
  readonly maxBytes: number
}

/** The reply to an inner request. */
export interface InnerReply {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  /** Whether the reply was longer than was asked for. */
  readonly isCut: boolean
}

/**
 * Answers a request that the server makes itself. The gate of the route decides with the rights of this moment, and the
 * audit log keeps a change as it keeps the caller's own, with the name of the tool. An error of the route is a reply with
 * its status; nothing is thrown.
 */
export type PerformInside = (
  request: InnerRequest,
  caller: InnerCaller,
  options: { readonly signal: AbortSignal },
) => Promise<InnerReply>

/** Parts of {@link createInnerService}. */
export interface InnerServiceParts extends CallAnswers {
  readonly gate: Pick<Gate, 'reauthorize'>
  readonly edge: EdgeParts
  /** The generation of rights; it grows whenever rights have changed. */
  readonly generation: () => number
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: RootLog
}

/** Creates the function that answers inner requests. */
export function createInnerService(parts: InnerServiceParts): PerformInside {
  const { gate, edge, generation, clock, log, send, fail } = parts

  async function admit(call: CallState, caller: InnerCaller, matched: MatchedPath): Promise<void> {
    const { authentication, principal, clientAddress } = caller
    call.rightsGeneration = generation()
    call.matched = matched
    const { route } = call
    if (authentication === undefined) {
      checkAccess(principal, route)
      call.authentication = { principal, credential: undefined, isRotationDue: false, expiresAt: undefined }
    } else call.authentication = await gate.reauthorize({ route, matched, authentication, clientAddress }, call)
    call.abort.admitted = call
  }

  return async (request, caller, { signal }) => {
    const { route, tool } = request
    const outgoing = createMemoryReply(request)
    const source = toSource(request, caller, outgoing)
    const { requestId, clientAddress = '', baseUrl } = caller
    const running = new RunningCall()
    const call = new CallState(source, {
      route,
      requestId,
      running,
      edge,
      clientAddress,
      baseUrl,
      startedAt: clock.monotonic(),
      log: new CallLog(log, { requestId, route: route.path, tool }),
      tool,
    })
    const onAbort = (): void => running.end(toSvcError(signal.reason))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    edge.derived.add(running)
    try {
      running.throwIfAborted()
      await admit(call, caller, { pattern: route.path, path: source.path })
      running.throwIfAborted()
      await send(call, await (findChange(route) === undefined ? route.handler(call) : changeAndRecord(route, call)))
    } catch (thrown) {
      const error = route.mapError === undefined ? thrown : route.mapError(toPublicError(thrown))
      await fail(call, error, route.family)
    } finally {
      signal.removeEventListener('abort', onAbort)
      edge.derived.delete(running)
    }
    const { statusCode: status, body, isCut } = outgoing
    return { status, contentType: outgoing.header('content-type') ?? '', body, isCut }
  }
}

function toSource(
  { route, params = {}, query = {}, headers = {}, body = new Uint8Array() }: InnerRequest,
  { clientAddress }: InnerCaller,
  outgoing: ReturnType<typeof createMemoryReply>,
): CallSource {
  const path = toPath(route.path, params)
  const search = new URLSearchParams(query).toString()
  return {
    incoming: {
      method: route.method,
      url: search === '' ? path : `${path}?${search}`,
      headers: { ...headers, 'content-length': String(body.length) },
      rawHeaders: [],
      socket: { remoteAddress: clientAddress },
      body,
    },
    outgoing,
    upgrade: undefined,
    path,
    param: (name) => params[name],
    query: (name) => query[name],
  }
}

/** The path of a pattern with its values: `/a/:name{.+}/c` and `/a/*`. */
function toPath(pattern: string, params: Readonly<Record<string, string>>): string {
  return pattern
    .replace(/:(\w+)(\{[^}]*\})?/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    .replace(/\*$/, () => encodeURIComponent(params['*'] ?? ''))
}
