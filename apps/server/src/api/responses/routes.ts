import { responseRequest, responseResource } from '@svc/wire'
import type { CompressionPolicy } from '../../http/compression.ts'
import type { Route } from '../../http/route.ts'
import { defineInferenceRoute } from '../../inference/define-inference-route.ts'
import type { Pipeline } from '../../inference/pipeline.ts'
import type { Clock } from '../../ports.ts'
import { responsesCodec } from './codec.ts'
import { toResponsesError } from './errors.ts'

/** `POST /v1/responses`. */
export function responsesRoutes(parts: { pipeline: Pipeline; compression: CompressionPolicy; clock: Clock }): Route[] {
  const create = defineInferenceRoute(
    {
      method: 'POST',
      path: '/v1/responses',
      aliases: ['/responses'],
      access: 'any',
      feature: 'chat',
      family: 'responses',
      usecase: 'chat',
      modelRequired: true,
      scanned: true,
      tag: 'inference',
      summary: 'Continue a conversation in the responses format',
      body: responseRequest,
      responses: {
        200: {
          description: 'The response, or its server-sent events with `stream`.',
          schema: responseResource,
        },
      },
    },
    responsesCodec(parts),
    parts,
  )
  return [{ ...create, mapError: toResponsesError }]
}
