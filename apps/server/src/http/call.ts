import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Logger } from '../ports.ts'
import type { Principal } from './principal.ts'
import type { RouteRow } from './route-row.ts'
import type { Upgrade } from './upgrade.ts'

/** What the server's Hono context carries. */
export interface HonoEnv {
  Bindings: HttpBindings & { readonly upgrade?: Upgrade }
}

/** One HTTP call on its way through the server, as handlers see it. */
export interface Call {
  readonly row: RouteRow
  /** Correlation id: the client's when it is well formed, else a new UUID; on every log line and reply. */
  readonly requestId: string
  readonly principal: Principal
  /** Aborts when the client leaves or the server's drain ends. */
  readonly signal: AbortSignal
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The peer, or what a trusted proxy says it is. */
  readonly clientAddress: string
  /** Address of this server as the client sees it, ending in `/`. */
  readonly baseUrl: string
  /** Monotonic milliseconds at arrival. */
  readonly startedAt: number
  readonly log: Logger
  /** A path parameter, percent-decoded. Empty when the pattern has none of that name. */
  param(name: string): string
  /** The first query value of that name. */
  query(name: string): string | undefined
  /** A request header, by lower-case name. */
  header(name: string): string | undefined
}

/** The mutable side of a {@link Call}, filled step by step by the edge. */
export interface CallState extends Call {
  principal: Principal
  log: Logger
}

/** Makes the call of a request that matched a row. */
export function createCall(
  c: Context<HonoEnv>,
  facts: Omit<CallState, 'incoming' | 'outgoing' | 'param' | 'query' | 'header'>,
): CallState {
  const { incoming, outgoing } = c.env
  return {
    ...facts,
    incoming,
    outgoing,
    param: (name) => c.req.param(name) ?? '',
    query: (name) => c.req.query(name),
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}
