import type { Route } from '../../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../../define-inference-route.ts'

const wire = () => import('@svc/wire/openai')

/** `POST /v1/completions`, also with the model in the path. */
export function completionRoutes(parts: InferenceRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/v1/completions',
        aliases: ['/completions', '/v1/engines/:model/completions', '/engines/:model/completions'],
        access: 'any',
        feature: 'chat',
        family: 'compatible',
        usecase: 'completion',
        scanned: 'completions',
        tag: 'inference',
        summary: 'Continue texts',
        query: modelQuery,
        body: async () => (await wire()).completionRequest,
        responses: {
          200: {
            description: 'The reply, or server-sent `text_completion` events with `stream`.',
            schema: async () => (await wire()).completion,
          },
        },
      },
      async () => (await import('./format.ts')).completionFormat,
      parts,
    ),
  ]
}
