import { SvcError } from '@svc/errors'
import type { Edge } from './edge.ts'
import type { PerformInside } from './inner-call.ts'
import type { Route } from './route.ts'

/** Requests that the server makes to its own routes, for callers whose requests it serves. */
export interface InnerCalls {
  /** Finds a route by its method and pattern, such as `GET /api/settings`; undefined where this server does not have it. */
  find(key: string): Route | undefined
  /** @throws {SvcError} `unavailable` before the routes are open */
  readonly perform: PerformInside
  /** Opens the routes. */
  open(edge: Pick<Edge, 'performInside'>, routes: readonly Route[]): void
}

/** Creates inner calls without routes. */
export function createInnerCalls(): InnerCalls {
  const known = new Map<string, Route>()
  let opened: Pick<Edge, 'performInside'> | undefined
  return {
    find: (key) => known.get(key),
    perform(request, caller, options) {
      if (opened === undefined)
        return Promise.reject(new SvcError('unavailable', 'the routes of the server are not open yet'))
      return opened.performInside(request, caller, options)
    },
    open(edge, routes) {
      opened = edge
      for (const route of routes) known.set(`${route.method} ${route.path}`, route)
    },
  }
}
