import type { Principal } from '@svc/auth'
import type { RequestContext, RequestRoute } from '../inference/core/ports.ts'
import type { AbortSignalLike, Logger } from '../ports.ts'

/** The caller for whom a router asks its models: the ports find it in the options of their calls. */
export class RoutingCaller {
  readonly context: RequestContext

  constructor(context: RequestContext) {
    this.context = context
  }
}

/** The context of one call of a classifier inside a request: the same but for its end, which comes earlier. */
export class InnerContext implements RequestContext {
  readonly route: RequestRoute
  readonly requestId: string
  readonly baseUrl: string
  readonly principal: Principal
  readonly signal: AbortSignal
  readonly abort: AbortSignalLike
  readonly startedAt: number
  readonly log: Logger
  readonly #outer: RequestContext

  constructor(outer: RequestContext, signal: AbortSignal) {
    this.#outer = outer
    this.route = outer.route
    this.requestId = outer.requestId
    this.baseUrl = outer.baseUrl
    this.principal = outer.principal
    this.signal = signal
    this.abort = signal
    this.startedAt = outer.startedAt
    this.log = outer.log
  }

  header(name: string): string | undefined {
    return this.#outer.header(name)
  }

  useModel(): void {
    // a classifier is the router's, not the caller's
  }
}
