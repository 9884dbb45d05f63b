import { Hono } from 'hono'
import { type HonoEnv, LiteralSource, MatchedSource } from './call.ts'
import type { Edge } from './edge.ts'
import { HEALTH_CHECKS } from './health-checks.ts'
import type { ServerReply, ServerRequest } from './messages.ts'
import type { Route } from './route.ts'
import { addRoutes, type RouteTable } from './route-table.ts'

/** Stands for the prefix of the server without a path behind it: no request target holds a blank. */
const BARE_PREFIX = '/ '

/**
 * The path of a request target without query, without one trailing slash, and without the prefix before the paths of
 * this server; {@link BARE_PREFIX} for a bare prefix.
 */
function toRoutedPath(request: Request, prefixes: readonly string[]): string {
  const { url } = request
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const whole = withoutQuery(url.slice(start))
  const prefix = prefixes.find((one) => isBelow(whole, one))
  const path = prefix === undefined ? whole : whole.slice(prefix.length)
  if (path === '') return BARE_PREFIX
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function withoutQuery(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? target : target.slice(0, mark)
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

/** The route table as an application. */
export interface App {
  /** Serves any request. */
  readonly fetch: Hono<HonoEnv>['fetch']
  /**
   * Fast path for `POST` routes without parameters and for health checks; it makes none of the objects that Hono needs.
   *
   * @returns undefined for a request that only {@link fetch} serves
   */
  serveLiteral?(incoming: ServerRequest, outgoing: ServerReply): Promise<unknown> | undefined
  /** Whether {@link serveLiteral} serves such a request. */
  servesLiteral?(method: string, target: string): boolean
}

/** Hono finds the route of a request; the edge does everything around its handler. */
export function createApp(routes: readonly Route[], edge: Edge): Required<App> {
  const app = new Hono<HonoEnv>({
    getPath: (request, context) =>
      toRoutedPath(request, context?.env === undefined ? [] : edge.prefixesOf(context.env.incoming)),
  })
  const table: RouteTable = addRoutes(app, routes, async (route, pattern, context) => {
    await edge.serve(route, pattern, new MatchedSource(context))
    return context.env.alreadySent
  })
  app.notFound(async (c) => {
    // A bare prefix: relative addresses of the page at its end would lose it.
    if (c.req.path === BARE_PREFIX) await edge.redirect(new MatchedSource(c), `${new URL(c.req.url).pathname}/`)
    else await edge.serveUnmatched(new MatchedSource(c), table.findPath(c.req.path))
    return c.env.alreadySent
  })

  // Other methods have pages and lists among their routes, and a prefix of the server may look like one of them.
  const findLiteral = (method: string, path: string): Route | undefined =>
    method === 'POST' ? table.findLiteral(method, path) : undefined
  /** Health checks are answered before the server has loaded what pages and lists need. */
  const findHealthCheck = (incoming: ServerRequest, path: string): Route | undefined => {
    if (incoming.method !== 'GET' || !HEALTH_CHECKS.has(path) || edge.prefixesOf(incoming).length > 0) return undefined
    return table.findLiteral('GET', path)
  }

  return {
    fetch: app.fetch,
    servesLiteral: (method, target) => findLiteral(method, withoutQuery(target)) !== undefined,
    serveLiteral(incoming, outgoing) {
      const path = withoutQuery(incoming.url ?? '')
      const route = findLiteral(incoming.method ?? '', path) ?? findHealthCheck(incoming, path)
      return route && edge.serve(route, path, new LiteralSource(incoming, outgoing, path))
    },
  }
}
