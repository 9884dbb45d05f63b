import { gateOnly, listPaths, type RouteInfo } from '../../http/route-info.ts'

/** Admin routes of later features. A user gets 403, an admin 404; none of them is open (§5.4). */
const ADMIN_GET = [
  '/api/operations/*',
  '/api/models',
  '/api/models/*',
  '/api/backends',
  '/api/backends/*',
  '/api/nodes',
  '/api/nodes/*',
  '/api/auth/admin/*',
  '/backends',
  '/backends/*',
  '/models/available',
  '/models/galleries',
  '/models/jobs',
  '/models/jobs/:uuid',
]

const ADMIN_POST = [
  '/api/operations/*',
  '/api/models/*',
  '/api/backends/*',
  '/api/nodes/*',
  '/api/auth/admin/*',
  '/backends/*',
  '/models/apply',
  '/models/delete/:name{.+}',
  '/models/import',
  '/models/import-uri',
  '/models/edit/:name{.+}',
]

const ADMIN_OTHER: readonly (readonly ['PUT' | 'PATCH' | 'DELETE', string])[] = [
  ['DELETE', '/api/auth/admin/*'],
  ['PUT', '/api/auth/admin/*'],
  ['PATCH', '/api/models/config-json/:name{.+}'],
  ['DELETE', '/api/nodes/*'],
  ['PUT', '/models/*'],
]

/** Routes with which clients of the alternate ecosystem change models. Their errors are a string. */
const OLLAMA_ADMIN: readonly (readonly ['POST' | 'DELETE', string])[] = [
  ['POST', '/api/pull'],
  ['POST', '/api/push'],
  ['POST', '/api/create'],
  ['POST', '/api/copy'],
  ['DELETE', '/api/delete'],
]

/** Inference routes still to come: callers need credentials there from the first day (§4.1, §4.3). */
const USER_POST: readonly (readonly [string, Required<Pick<RouteInfo, 'feature' | 'family'>>])[] = [
  ['/v1/audio/*', { feature: 'audio_transform', family: 'compatible' }],
]

const USER_GET = [
  // With a code behind it the page is public.
  '/invite',
]

/** Reserved routes of features that are not built. */
export const RESERVED_ROUTES: readonly RouteInfo[] = [
  ...ADMIN_GET.map((path) => gateOnly('GET', path)),
  ...ADMIN_POST.map((path) => gateOnly('POST', path)),
  ...ADMIN_OTHER.map(([method, path]) => gateOnly(method, path)),
  ...OLLAMA_ADMIN.map(([method, path]) => gateOnly(method, path, { family: 'string' })),
  ...USER_POST.map(([path, route]) => gateOnly('POST', path, { access: 'any', ...route })),
  ...USER_GET.map((path) => gateOnly('GET', path, { access: 'any' })),
]

/** The reserved routes that no feature has. Some features leave their routes out, as the configuration says. */
export function listReservedRoutes(routes: readonly RouteInfo[]): readonly RouteInfo[] {
  const served = new Set(routes.flatMap((route) => listPaths(route).map((path) => `${route.method} ${path}`)))
  return RESERVED_ROUTES.filter((route) => listPaths(route).every((path) => !served.has(`${route.method} ${path}`)))
}
