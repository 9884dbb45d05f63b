import type { IncomingMessage, ServerResponse } from 'node:http'
import { SvcError } from '@svc/errors'
import { Hono } from 'hono'
import { DirectSource, type HonoEnv, MatchedSource } from './call.ts'
import type { Edge } from './edge.ts'
import { createPathTable } from './path-table.ts'
import type { Route } from './route.ts'
import { pathsOf, type RouteRow } from './route-row.ts'

/** The path of a request target without query, and without one trailing slash. */
function pathOf(request: Request): string {
  const { url } = request
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const query = url.indexOf('?', start)
  const path = query < 0 ? url.slice(start) : url.slice(start, query)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** A gate-only row as a route: whoever passes the gate learns that nothing is here yet. */
function toRoute(row: RouteRow): Route {
  return {
    ...row,
    handler: () => {
      throw new SvcError('not_found', 'Resource not found', { details: { type: '' } })
    },
  }
}

/** The route table as an application. */
export interface App {
  /** Serves any request. */
  readonly fetch: Hono<HonoEnv>['fetch']
  /**
   * Serves a request whose path is a row's, letter by letter: most of those that count, without objects that nobody reads.
   *
   * @returns undefined for every other request
   */
  serveDirect?(incoming: IncomingMessage, outgoing: ServerResponse): Promise<unknown> | undefined
}

/** Patterns that stand for themselves. */
const LITERAL = /^[^:*]+$/

/** Rows are matched here, those with parameters by Hono; everything around a handler is the edge's. */
export function createApp(routes: readonly Route[], reserved: readonly RouteRow[], edge: Edge): App {
  const app = new Hono<HonoEnv>({ getPath: pathOf })
  const posted = new Map<string, Route>()
  for (const route of [...routes, ...reserved.map(toRoute)]) {
    for (const pattern of pathsOf(route)) {
      app.on(route.method, pattern, (c) => edge.serve(route, pattern, new MatchedSource(c)))
      if (route.method === 'POST' && LITERAL.test(pattern) && !posted.has(pattern)) posted.set(pattern, route)
    }
  }
  const paths = createPathTable([...routes, ...reserved])
  app.notFound((c) => edge.serveUnmatched(new MatchedSource(c), paths.find(c.req.path)))
  return {
    fetch: app.fetch,
    serveDirect(incoming, outgoing) {
      if (incoming.method !== 'POST') return undefined
      const { url = '' } = incoming
      const mark = url.indexOf('?')
      const path = mark < 0 ? url : url.slice(0, mark)
      const route = posted.get(path)
      return route && edge.serve(route, path, new DirectSource(incoming, outgoing))
    },
  }
}
