import { moderation, moderationRequest } from '@svc/wire/openai'
import type { CompressionPolicy } from '../../../http/compression.ts'
import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, modelQuery } from '../../../inference/define-inference-route.ts'
import type { Pipeline } from '../../../inference/pipeline.ts'
import { moderationCodec } from './codec.ts'

/** `POST /v1/moderations`: any model that completes texts can be asked. */
export function moderationRoutes(parts: { pipeline: Pipeline; compression: CompressionPolicy }): Route[] {
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
      moderationCodec,
      parts,
    ),
  ]
}
