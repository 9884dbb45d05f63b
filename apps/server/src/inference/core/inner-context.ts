import type { Logger } from '../../ports.ts'
import type { RequestContext, RequestRoute } from './ports.ts'

/** The caller in whose name the server asks a model: its rights and quotas hold, and its usage is counted. */
export interface InnerCaller extends Pick<RequestContext, 'requestId' | 'principal' | 'useModel'> {
  readonly log: Logger
}

/** Creates the context of a request that the server itself makes for a caller. It comes over no transport. */
export function createInnerContext(
  caller: InnerCaller,
  {
    route,
    signal,
    isInside,
  }: {
    readonly route: RequestRoute
    readonly signal: AbortSignal
    readonly isInside?: RequestContext['isInside']
  },
): RequestContext {
  return {
    route,
    requestId: caller.requestId,
    baseUrl: '/',
    principal: caller.principal,
    signal,
    abort: signal,
    isInside,
    startedAt: performance.now(),
    log: caller.log,
    header: () => undefined,
    useModel: (name, through) => caller.useModel(name, through),
  }
}

/** Creates the context of a part of a request that may end before the whole. It differs in its signal alone. */
export function limitContext(outer: RequestContext, signal: AbortSignal): RequestContext {
  return {
    route: outer.route,
    requestId: outer.requestId,
    baseUrl: outer.baseUrl,
    principal: outer.principal,
    signal,
    abort: signal,
    isInside: outer.isInside,
    startedAt: outer.startedAt,
    log: outer.log,
    header: (name) => outer.header(name),
    useModel: (name, through) => outer.useModel(name, through),
  }
}
