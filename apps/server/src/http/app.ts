import { SvcError } from '@svc/errors'
import { Hono } from 'hono'
import { DirectSource, type HonoEnv, MatchedSource } from './call.ts'
import type { Edge } from './edge.ts'
import type { ServerReply, ServerRequest } from './messages.ts'
import { createPathTable } from './path-table.ts'
import type { Route } from './route.ts'
import { pathsOf, type RouteRow } from './route-row.ts'

/** Stands for the prefix of the server without a path behind it: no request target holds a blank. */
const BARE_PREFIX = '/ '

/**
 * The path of a request target without query, without one trailing slash, and without the prefix that stands before the
 * paths of this server; {@link BARE_PREFIX} for that prefix alone.
 */
function pathOf(request: Request, prefixes: readonly string[]): string {
  const { url } = request
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const query = url.indexOf('?', start)
  const whole = query < 0 ? url.slice(start) : url.slice(start, query)
  const prefix = prefixes.find((one) => whole === one || whole.startsWith(`${one}/`))
  const path = prefix === undefined ? whole : whole.slice(prefix.length)
  if (path === '') return BARE_PREFIX
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** The path of a request target as it stands. */
function literalPath(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? target : target.slice(0, mark)
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
  serveDirect?(incoming: ServerRequest, outgoing: ServerReply): Promise<unknown> | undefined
  /** Whether {@link serveDirect} serves such a request. */
  servesDirect?(method: string, target: string): boolean
}

/** Patterns that stand for themselves. */
const LITERAL = /^[^:*]+$/

/** Rows are matched here, those with parameters by Hono; everything around a handler is the edge's. */
export function createApp(routes: readonly Route[], reserved: readonly RouteRow[], edge: Edge): App {
  const app = new Hono<HonoEnv>({
    getPath: (request, context) =>
      pathOf(request, context?.env === undefined ? [] : edge.prefixesOf(context.env.incoming)),
  })
  const posted = new Map<string, Route>()
  for (const route of [...routes, ...reserved.map(toRoute)]) {
    for (const pattern of pathsOf(route)) {
      app.on(route.method, pattern, (c) => edge.serve(route, pattern, new MatchedSource(c)))
      if (route.method === 'POST' && LITERAL.test(pattern) && !posted.has(pattern)) posted.set(pattern, route)
    }
  }
  const paths = createPathTable([...routes, ...reserved])
  app.notFound((c) => {
    // A prefix alone: relative addresses of the page at its end would lose it.
    if (c.req.path === BARE_PREFIX) return edge.redirect(new MatchedSource(c), `${new URL(c.req.url).pathname}/`)
    return edge.serveUnmatched(new MatchedSource(c), paths.find(c.req.path))
  })
  return {
    fetch: app.fetch,
    servesDirect: (method, target) => method === 'POST' && posted.has(literalPath(target)),
    serveDirect(incoming, outgoing) {
      if (incoming.method !== 'POST') return undefined
      const path = literalPath(incoming.url ?? '')
      const route = posted.get(path)
      return route && edge.serve(route, path, new DirectSource(incoming, outgoing, path))
    },
  }
}
