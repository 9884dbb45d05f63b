import { detokenizeReply, detokenizeRequest, tokenizeReply, tokenizeRequest } from '@svc/wire/native'
import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../define-inference-route.ts'
import { detokenizeFormat, tokenizeFormat } from './formats.ts'

/** Routes between texts and the ids of a model's vocabulary. */
export function tokenizeRoutes(parts: InferenceRouteParts): Route[] {
  const shared = {
    method: 'POST',
    access: 'any',
    feature: 'tokenize',
    family: 'compatible',
    usecase: 'tokenize',
    scanned: false,
    tag: 'inference',
    query: modelQuery,
  } as const
  return [
    defineInferenceRoute(
      {
        ...shared,
        path: '/v1/tokenize',
        scanned: 'tokenize',
        scannedWhen: 'elsewhere',
        summary: 'The tokens of a text',
        body: tokenizeRequest,
        responses: { 200: { description: 'Ids of the vocabulary of the model.', schema: tokenizeReply } },
      },
      tokenizeFormat,
      parts,
    ),
    defineInferenceRoute(
      {
        ...shared,
        path: '/v1/detokenize',
        summary: 'The text of tokens',
        body: detokenizeRequest,
        responses: { 200: { description: 'The text.', schema: detokenizeReply } },
      },
      detokenizeFormat,
      parts,
    ),
  ]
}
