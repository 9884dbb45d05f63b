import { embeddingList, embeddingRequest } from '@svc/wire/openai'
import type { Route } from '../../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../../define-inference-route.ts'
import { embeddingFormat } from './format.ts'

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
        body: embeddingRequest,
        responses: { 200: { description: 'One vector for each input, in order.', schema: embeddingList } },
      },
      embeddingFormat,
      parts,
    ),
  ]
}
