import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../define-inference-route.ts'

const wire = () => import('@svc/wire/openai')

/** `POST /v1/rerank` and the paths that clients of other vendors use. */
export function rerankRoutes(parts: InferenceRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/v1/rerank',
        aliases: ['/jina/v1/rerank', '/v2/rerank', '/rerank'],
        access: 'any',
        feature: 'rerank',
        family: 'rerank',
        usecase: 'rerank',
        scanned: 'rerank',
        scannedWhen: 'scan_rerank',
        tag: 'inference',
        summary: 'Order documents by how well they answer a query',
        query: modelQuery,
        body: async () => (await wire()).rerankRequest,
        responses: {
          200: { description: 'The best document first.', schema: async () => (await wire()).rerankReply },
          422: { description: '`top_n` is below 1.' },
        },
      },
      async () => (await import('./format.ts')).rerankFormat,
      parts,
    ),
  ]
}
