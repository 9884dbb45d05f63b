import { FEATURES } from '@svc/auth/access'
import type * as z from 'zod'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { listPaths, type RouteInfo } from '../../../http/route-info.ts'
import { AREAS } from './areas.ts'
import type { featuresReply } from './schemas.ts'

/** The parts of {@link featuresRoute}. */
export interface FeatureFacts {
  /** The route table. */
  readonly routes: () => readonly RouteInfo[]
  readonly hasAccounts: boolean
  /** Whether the assistant is on at this moment. */
  readonly hasAssistant: () => boolean
  /** Whether the server shares requests with others, or is in a peer-to-peer network, at this moment. */
  readonly hasPeers: () => boolean
}

/** Finds the features of the server: accounts, areas, and the feature switches that a route depends on. */
function findServed({ routes, hasAccounts, hasAssistant, hasPeers }: FeatureFacts): z.infer<typeof featuresReply> {
  const served = routes()
  const paths = new Set(served.flatMap(listPaths))
  const switches = new Set<string | undefined>(served.map(({ feature }) => feature))
  const entries = [
    ...FEATURES.map(({ key }) => [key, switches.has(key)] as const),
    ...Object.entries(AREAS).map(([name, path]) => [name, paths.has(path)] as const),
    ['accounts', hasAccounts] as const,
    ['localai_assistant', hasAssistant()] as const,
    ['p2p', hasPeers()] as const,
  ]
  // one entry for each key of the schema
  return Object.fromEntries(entries) as z.infer<typeof featuresReply>
}

/**
 * `GET /api/features` (§5.4): the features of this server, read from the route table. An interface shows nothing else.
 */
export function featuresRoute(facts: FeatureFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/features',
    access: 'any',
    family: 'compatible',
    tag: 'discovery',
    summary: 'Which optional features this server has',
    quiet: true,
    revalidated: true,
    responses: {
      200: {
        description: 'True for what is served, whether or not the caller may use it.',
        schema: async () => (await import('./schemas.ts')).featuresReply,
      },
    },
    handler: () => json(findServed(facts)),
  })
}
