import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../define-inference-route.ts'

const wire = () => import('@svc/wire/native')

/** `POST /api/score` (§4.9): for admins who tune the router's classifier; shows the scores that it gets. */
export function scoreRoutes(parts: InferenceRouteParts): Route[] {
  return [
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/api/score',
        access: 'admin',
        family: 'compatible',
        usecase: 'score',
        modelRequired: true,
        scanned: 'score',
        scannedWhen: 'elsewhere',
        tag: 'router',
        summary: 'How likely each candidate continues a prompt',
        audit: { unrecorded: 'it asks a model and changes nothing' },
        query: modelQuery,
        body: async () => (await wire()).scoreRequest,
        responses: {
          200: {
            description: 'Log-probabilities in the order of the candidates.',
            schema: async () => (await wire()).scoreReply,
          },
          501: { description: 'The backend of the model cannot score.' },
        },
      },
      async () => (await import('./format.ts')).scoreFormat,
      parts,
    ),
  ]
}
