import type { Route } from '../../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../../define-inference-route.ts'

const wire = () => import('@svc/wire/openai')

/** `POST /v1/moderations`: serves with any model that completes texts. */
export function moderationRoutes(parts: InferenceRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/v1/moderations',
        aliases: ['/moderations'],
        access: 'any',
        feature: 'moderation',
        family: 'compatible',
        usecase: 'completion',
        scanned: 'moderations',
        scannedWhen: 'elsewhere',
        tag: 'inference',
        summary: 'Judge texts by 13 categories of harm',
        query: modelQuery,
        body: async () => (await wire()).moderationRequest,
        responses: { 200: { description: 'A result for each text.', schema: async () => (await wire()).moderation } },
      },
      async () => (await import('./format.ts')).moderationFormat,
      parts,
    ),
  ]
}
