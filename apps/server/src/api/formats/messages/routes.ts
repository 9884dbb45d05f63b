import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts } from '../define-inference-route.ts'
import { toModelFailure } from '../model-failure.ts'

const wire = () => import('@svc/wire/messages')

/** Routes of the messages format: replies and token counts. */
export function messagesRoutes(parts: InferenceRouteParts): Route[] {
  const shared = {
    method: 'POST',
    access: 'any',
    feature: 'chat',
    family: 'messages',
    usecase: 'chat',
    modelRequired: true,
    unknownModel: 'invalid_request',
    scanned: 'messages',
    tag: 'inference',
  } as const
  const reply = defineInferenceRoute(
    {
      ...shared,
      path: '/v1/messages',
      aliases: ['/messages'],
      summary: 'Continue a conversation, in the messages format',
      body: async () => (await wire()).messagesRequest,
      responses: {
        200: {
          description: 'The message, or server-sent `MessagesEvent` events with `stream`.',
          schema: async () => (await wire()).messagesReply,
        },
      },
    },
    async () => (await import('./format.ts')).messagesFormat,
    parts,
  )
  const count = defineInferenceRoute(
    {
      ...shared,
      path: '/v1/messages/count_tokens',
      aliases: ['/messages/count_tokens'],
      summary: 'The tokens of the prompt of a message',
      body: async () => (await wire()).messagesCountRequest,
      responses: {
        200: { description: 'Tokens the model would read.', schema: async () => (await wire()).messagesCountReply },
      },
    },
    async () => (await import('./format.ts')).countTokensFormat,
    parts,
  )
  return [reply, count].map((route) => ({ ...route, mapError: toModelFailure }))
}
