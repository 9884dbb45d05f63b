import { edit, editRequest } from '@svc/wire/openai'
import type { CompressionPolicy } from '../../../http/compression.ts'
import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, modelQuery } from '../../../inference/define-inference-route.ts'
import type { Pipeline } from '../../../inference/pipeline.ts'
import { editCodec } from './codec.ts'

/** `POST /v1/edits`, which newer clients have no method for. */
export function editRoutes(parts: { pipeline: Pipeline; compression: CompressionPolicy }): Route[] {
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
        body: editRequest,
        responses: { 200: { description: 'The changed texts.', schema: edit } },
      },
      editCodec,
      parts,
    ),
  ]
}
