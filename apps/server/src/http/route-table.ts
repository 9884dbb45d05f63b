import type { Context, Hono } from 'hono'
import type { HonoEnv } from './call.ts'
import type { Route } from './route.ts'
import { type ErrorFamily, listPaths } from './route-info.ts'

/** The routes of a path, whatever their method. */
export interface KnownPath {
  /** Methods of the path, in table order, with HEAD beside GET and OPTIONS last; empty where no route has the path. */
  readonly methods: readonly string[]
  /** The error family of the first route. @default 'compatible', where no route has the path */
  readonly family: ErrorFamily
}

/** Looks routes up. Hono's router holds them all. */
export interface RouteTable {
  /** Fast path for routes without parameters: one lookup of method and path. It finds the route that Hono finds. */
  findLiteral(method: string, path: string): Route | undefined
  /** Finds the methods of a path, for 405 and its `Allow` header. */
  findPath(path: string): KnownPath
}

/** Serves a request of a route. The pattern is one of the route's paths. */
type ServeRoute = (route: Route, pattern: string, context: Context<HonoEnv>) => Promise<Response>

/** Patterns without parameters. */
const LITERAL = /^[^:*]+$/

/** Adds routes to an application of Hono, in order: the first route that matches a request serves it. */
export function addRoutes(app: Hono<HonoEnv>, routes: readonly Route[], serve: ServeRoute): RouteTable {
  const routesByHandler = new Map<unknown, Route>()
  const order = new Map(routes.map((route, index) => [route, index]))
  const patterns: string[] = []
  for (const route of routes) {
    for (const pattern of listPaths(route)) {
      const handler = (context: Context<HonoEnv>): Promise<Response> => serve(route, pattern, context)
      app.on(route.method, pattern, handler)
      routesByHandler.set(handler, route)
      patterns.push(pattern)
    }
  }
  const methods = [...new Set(routes.map(({ method }) => method))]
  const isMethod = (method: string): boolean => methods.some((one) => one === method)
  const match = (method: string, path: string): Route | undefined =>
    routesByHandler.get(app.router.match(method, path)[0][0]?.[0][0])
  const literals = new Map<string, ReadonlyMap<string, Route>>()
  const listLiterals = (method: string): ReadonlyMap<string, Route> => {
    const known = literals.get(method)
    if (known !== undefined) return known
    const made = toLiterals(patterns, (pattern) => match(method, pattern))
    literals.set(method, made)
    return made
  }
  return {
    findLiteral: (method, path) => (isMethod(method) ? listLiterals(method).get(path) : undefined),
    findPath(path) {
      const found = methods
        .flatMap((method) => match(method, path) ?? [])
        .sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0))
      const allowed = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      return {
        methods: allowed.length === 0 ? [] : [...allowed, 'OPTIONS'],
        family: found[0]?.family ?? 'compatible',
      }
    },
  }
}

function toLiterals(
  patterns: readonly string[],
  match: (pattern: string) => Route | undefined,
): ReadonlyMap<string, Route> {
  const literals = new Map<string, Route>()
  for (const pattern of patterns) {
    const route = LITERAL.test(pattern) ? match(pattern) : undefined
    // A route with parameters may match too; Hono has to read them.
    if (route !== undefined && listPaths(route).includes(pattern)) literals.set(pattern, route)
  }
  return literals
}
