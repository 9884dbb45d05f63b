import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts, modelQuery } from '../define-inference-route.ts'

const wire = () => import('@svc/wire/native')

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
        body: async () => (await wire()).tokenizeRequest,
        responses: {
          200: { description: 'Ids of the vocabulary of the model.', schema: async () => (await wire()).tokenizeReply },
        },
      },
      async () => (await import('./formats.ts')).tokenizeFormat,
      parts,
    ),
    defineInferenceRoute(
      {
        ...shared,
        path: '/v1/detokenize',
        summary: 'The text of tokens',
        body: async () => (await wire()).detokenizeRequest,
        responses: { 200: { description: 'The text.', schema: async () => (await wire()).detokenizeReply } },
      },
      async () => (await import('./formats.ts')).detokenizeFormat,
      parts,
    ),
  ]
}
