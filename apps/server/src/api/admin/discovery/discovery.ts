import type * as z from 'zod'
import { pathPrefix } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteInfo } from '../../../http/route-info.ts'
import { CAPABILITIES, ENDPOINTS, GROUPS, toServedPath } from './endpoint-names.ts'
import type { discoveryReply } from './schemas.ts'

/** Keeps the addresses of served paths. */
function selectServed(
  paths: Readonly<Record<string, string>>,
  { routes, prefix }: { readonly routes: ReadonlySet<string>; readonly prefix: string },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(paths)
      .filter(([, path]) => routes.has(toServedPath(path)))
      .map(([name, path]) => [name, `${prefix}${path}`]),
  )
}

/** `/.well-known/service.json` (§4.1): the server's offers, read from its route table. */
export function discoveryRoute(facts: { version: string; routes: () => readonly RouteInfo[] }): Route {
  return defineRoute({
    method: 'GET',
    path: '/.well-known/service.json',
    access: 'none',
    family: 'compatible',
    tag: 'discovery',
    summary: 'Offers of this server',
    responses: {
      200: {
        description: 'Endpoints by name and capabilities.',
        schema: async () => (await import('./schemas.ts')).discoveryReply,
      },
    },
    handler(call) {
      const prefix = pathPrefix(call)
      const routes = new Set(
        facts
          .routes()
          // A parameter that may hold slashes is written like any other.
          .map((route) => route.path.replaceAll('{.+}', '')),
      )
      const groups = Object.entries(GROUPS)
        .map(([name, paths]) => [name, selectServed(paths, { routes, prefix })] as const)
        .filter(([, paths]) => Object.keys(paths).length > 0)
      return json({
        version: facts.version,
        endpoints: selectServed(ENDPOINTS, { routes, prefix }),
        endpoint_groups: Object.fromEntries(groups),
        capabilities: Object.fromEntries(Object.entries(CAPABILITIES).map(([name, path]) => [name, routes.has(path)])),
      } satisfies z.infer<typeof discoveryReply>)
    },
  })
}
