import { edit, editRequest } from '@svc/wire/openai'
import type { Route } from '../../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../../define-inference-route.ts'
import { editFormat } from './format.ts'

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
        body: editRequest,
        responses: { 200: { description: 'The changed texts.', schema: edit } },
      },
      editFormat,
      parts,
    ),
  ]
}
