import type { Route } from '../../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../../define-inference-route.ts'

const wire = () => import('@svc/wire/openai')

/** `POST /v1/embeddings`, also with the model in the path. */
export function embeddingRoutes(parts: InferenceRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/v1/embeddings',
        aliases: ['/embeddings', '/v1/engines/:model/embeddings', '/engines/:model/embeddings'],
        access: 'any',
        feature: 'embeddings',
        family: 'compatible',
        usecase: 'embeddings',
        scanned: 'embeddings',
        tag: 'inference',
        summary: 'Turn texts into vectors',
        query: modelQuery,
        body: async () => (await wire()).embeddingRequest,
        responses: {
          200: {
            description: 'One vector for each input, in order.',
            schema: async () => (await wire()).embeddingList,
          },
        },
      },
      async () => (await import('./format.ts')).embeddingFormat,
      parts,
    ),
  ]
}
