import type { Logger } from '../../ports.ts'
import { TAGS_HEADER } from '../../spend/request-tags.ts'
import type { RequestContext, RequestRoute } from './ports.ts'

/** The caller in whose name the server asks a model: its rights and quotas hold, and its usage is counted. */
export interface InnerCaller extends Pick<RequestContext, 'requestId' | 'principal' | 'useModel' | 'endUser'> {
  readonly log: Logger
  /** Gives a header of the caller's request; its tags are those of the inner one. @default none */
  readonly header?: RequestContext['header'] | undefined
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
    endUser: caller.endUser,
    header: (name) => (name === TAGS_HEADER ? caller.header?.(name) : undefined),
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
    endUser: outer.endUser,
    startedAt: outer.startedAt,
    log: outer.log,
    header: (name) => outer.header(name),
    useModel: (name, through) => outer.useModel(name, through),
  }
}
