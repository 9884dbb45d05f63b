import type { Route } from '../../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../../define-inference-route.ts'

const wire = () => import('@svc/wire/openai')

/** `POST /v1/edits`; newer clients have no method for it. */
export function editRoutes(parts: InferenceRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/v1/edits',
        aliases: ['/edits'],
        access: 'any',
        feature: 'chat',
        family: 'compatible',
        usecase: 'edit',
        scanned: 'edits',
        tag: 'inference',
        summary: 'Change texts as an instruction says',
        query: modelQuery,
        body: async () => (await wire()).editRequest,
        responses: { 200: { description: 'The changed texts.', schema: async () => (await wire()).edit } },
      },
      async () => (await import('./format.ts')).editFormat,
      parts,
    ),
  ]
}
