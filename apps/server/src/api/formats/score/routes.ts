import { scoreReply, scoreRequest } from '@svc/wire/native'
import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../define-inference-route.ts'
import { scoreFormat } from './format.ts'

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
        query: modelQuery,
        body: scoreRequest,
        responses: {
          200: { description: 'Log-probabilities in the order of the candidates.', schema: scoreReply },
          501: { description: 'The backend of the model cannot score.' },
        },
      },
      scoreFormat,
      parts,
    ),
  ]
}
