import type { Route } from '../../../http/route.ts'
import type { Clock } from '../../../ports.ts'
import type { KeepAlive } from '../../../residency/keep-alive.ts'
import { defineInferenceRoute, type InferenceRouteParts } from '../define-inference-route.ts'
import { type OllamaModelParts, ollamaModelRoutes } from './models/routes.ts'

const wire = () => import('@svc/wire/ollama')

/** Options of {@link ollamaRoutes}. */
export interface OllamaParts extends Omit<OllamaModelParts, 'bodies' | 'clock' | 'keepAlive'> {
  readonly keepAlive: Pick<KeepAlive, 'set' | 'expiresAt'>
  readonly clock: Clock
}

const common = {
  method: 'POST',
  access: 'any',
  family: 'string',
  modelRequired: true,
  tag: 'inference',
} as const

/** Routes of the alternate ecosystem: generation, embeddings and model queries. */
export function ollamaRoutes(
  ollama: OllamaParts,
  parts: InferenceRouteParts & Pick<OllamaModelParts, 'bodies'>,
): Route[] {
  return [
    defineInferenceRoute(
      {
        ...common,
        path: '/api/chat',
        scanned: 'ollama-chat',
        feature: 'chat',
        usecase: 'chat',
        summary: 'Continue a conversation, in the format of the alternate ecosystem',
        body: async () => (await wire()).ollamaChatRequest,
        responses: {
          200: {
            description: 'Lines of JSON, or one reply with `stream: false`.',
            schema: async () => (await wire()).ollamaChatReply,
          },
        },
      },
      async () => (await import('./chat/format.ts')).createChatFormat(ollama),
      parts,
    ),
    defineInferenceRoute(
      {
        ...common,
        path: '/api/generate',
        scanned: 'ollama-generate',
        feature: 'chat',
        usecase: 'chat',
        summary: 'Answer a prompt, in the format of the alternate ecosystem',
        body: async () => (await wire()).ollamaGenerateRequest,
        responses: {
          200: {
            description: 'Lines of JSON, or one reply with `stream: false`.',
            schema: async () => (await wire()).ollamaGenerateReply,
          },
        },
      },
      async () => (await import('./generate/format.ts')).createGenerateFormat(ollama),
      parts,
    ),
    defineInferenceRoute(
      {
        ...common,
        path: '/api/embed',
        scanned: 'ollama-embed',
        feature: 'embeddings',
        usecase: 'embeddings',
        summary: 'Turn texts into vectors, in the format of the alternate ecosystem',
        body: async () => (await wire()).ollamaEmbedRequest,
        responses: {
          200: {
            description: 'One vector for each input, in order.',
            schema: async () => (await wire()).ollamaEmbedReply,
          },
        },
      },
      async () => (await import('./embed/format.ts')).createEmbedFormat(ollama),
      parts,
    ),
    defineInferenceRoute(
      {
        ...common,
        path: '/api/embeddings',
        scanned: 'ollama-embed',
        feature: 'embeddings',
        usecase: 'embeddings',
        summary: 'Turn a text into a vector, by the older route of the alternate ecosystem',
        body: async () => (await wire()).ollamaEmbeddingsRequest,
        responses: {
          200: {
            description: 'The vector; empty for no text.',
            schema: async () => (await wire()).ollamaEmbeddingsReply,
          },
        },
      },
      async () => (await import('./embed/format.ts')).createEmbeddingsFormat(ollama),
      parts,
    ),
    ...ollamaModelRoutes({ ...ollama, bodies: parts.bodies }),
  ]
}
