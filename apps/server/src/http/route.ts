import type { SvcError } from '@svc/errors'
import type { Call } from './call.ts'
import type { HttpReply } from './http-reply.ts'
import type { RouteInfo } from './route-info.ts'
import type { Socket } from './websocket.ts'

/** A route of the route table with its handler. */
export interface Route extends RouteInfo {
  /** Answers the call; a handler that wrote to `call.outgoing` itself returns `ALREADY_SENT`. */
  readonly handler: (call: Call) => HttpReply | Promise<HttpReply>
  /**
   * Serves a socket of a route that has them, to its end. An error that it throws closes the socket as a failure of the
   * server; it answers wrong messages by itself.
   */
  readonly serveSocket?: ((socket: Socket) => Promise<void>) | undefined
  /** Turns an error of this route into an in-band or vendor form beyond the family's; rarely needed. */
  readonly mapError?: ((error: SvcError) => SvcError) | undefined
}

/** Declares a route; the only way into the table, so that the type checker sees every route. */
export function defineRoute(route: Route): Route {
  return route
}
