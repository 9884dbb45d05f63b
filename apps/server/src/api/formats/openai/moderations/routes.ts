import { moderation, moderationRequest } from '@svc/wire/openai'
import type { Route } from '../../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../../define-inference-route.ts'
import { moderationFormat } from './format.ts'

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
        body: moderationRequest,
        responses: { 200: { description: 'A result for each text.', schema: moderation } },
      },
      moderationFormat,
      parts,
    ),
  ]
}
