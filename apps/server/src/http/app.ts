import { SvcError } from '@svc/errors'
import { Hono } from 'hono'
import type { HonoEnv } from './call.ts'
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

/** The route table as a Hono application: rows are matched here, everything around a handler is the edge's. */
export function createApp(routes: readonly Route[], reserved: readonly RouteRow[], edge: Edge): Hono<HonoEnv> {
  const app = new Hono<HonoEnv>({ getPath: pathOf })
  for (const route of [...routes, ...reserved.map(toRoute)]) {
    for (const pattern of pathsOf(route)) app.on(route.method, pattern, (c) => edge.serve(route, pattern, c))
  }
  const paths = createPathTable([...routes, ...reserved])
  app.notFound((c) => edge.serveUnmatched(c, paths.find(c.req.path)))
  return app
}
