import type * as z from 'zod'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteInfo } from '../../../http/route-info.ts'
import type { featuresReply } from './schemas.ts'

/** Features by the path that proves them. */
const PROOFS = {
  agents: '/api/agents',
  mcp: '/v1/mcp/chat/completions',
  fine_tuning: '/api/fine-tuning/jobs',
  quantization: '/api/quantization/jobs',
  distributed: '/api/nodes',
  localai_assistant: '/api/assistant',
} as const

/** `GET /api/features` (§5.4): the features that interfaces ask for, read from the route table. */
export function featuresRoute(routes: () => readonly RouteInfo[]): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/features',
    access: 'any',
    family: 'compatible',
    tag: 'discovery',
    summary: 'Which optional features this server has',
    quiet: true,
    responses: {
      200: {
        description: 'True for what is served.',
        schema: async () => (await import('./schemas.ts')).featuresReply,
      },
    },
    handler() {
      const served = new Set(routes().flatMap(({ path, gateOnly }) => (gateOnly === true ? [] : [path])))
      const has = (name: keyof typeof PROOFS): boolean => served.has(PROOFS[name])
      return json({
        agents: has('agents'),
        mcp: has('mcp'),
        fine_tuning: has('fine_tuning'),
        quantization: has('quantization'),
        distributed: has('distributed'),
        localai_assistant: has('localai_assistant'),
      } satisfies z.infer<typeof featuresReply>)
    },
  })
}
