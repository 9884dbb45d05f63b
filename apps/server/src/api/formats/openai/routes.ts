import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts } from '../define-inference-route.ts'
import { completionRoutes } from './completions/routes.ts'
import { editRoutes } from './edits/routes.ts'
import { embeddingRoutes } from './embeddings/routes.ts'
import { type ModelListing, modelRoutes } from './models.ts'
import { moderationRoutes } from './moderations/routes.ts'

const wire = () => import('@svc/wire/openai')

/** The compatible routes, each with a wire format on the request core. */
export function openaiRoutes(parts: InferenceRouteParts & { readonly models: ModelListing }): Route[] {
  return [
    defineInferenceRoute(
      {
        method: 'POST',
        path: '/v1/chat/completions',
        aliases: ['/chat/completions'],
        access: 'any',
        feature: 'chat',
        family: 'compatible',
        usecase: 'chat',
        scanned: 'chat-completions',
        tag: 'inference',
        summary: 'Continue a conversation',
        body: async () => (await wire()).chatCompletionRequest,
        responses: {
          200: {
            description: 'The reply, or server-sent `chat.completion.chunk` events with `stream`.',
            schema: async () => (await wire()).chatCompletion,
          },
        },
      },
      async () => (await import('./chat/format.ts')).chatFormat,
      parts,
    ),
    ...completionRoutes(parts),
    ...editRoutes(parts),
    ...embeddingRoutes(parts),
    ...moderationRoutes(parts),
    ...modelRoutes(parts.models),
  ]
}

/** The route of chats with the tools of MCP servers. */
export function mcpChatRoute(parts: InferenceRouteParts): Route {
  return defineInferenceRoute(
    {
      method: 'POST',
      path: '/v1/mcp/chat/completions',
      aliases: ['/mcp/v1/chat/completions', '/mcp/chat/completions'],
      access: 'any',
      feature: 'mcp',
      family: 'compatible',
      usecase: 'chat',
      scanned: 'chat-completions',
      tag: 'inference',
      summary: 'Continue a conversation with the tools of MCP servers',
      body: async () => (await wire()).chatCompletionRequest,
      responses: {
        200: {
          description: 'The reply, or server-sent `chat.completion.chunk` events with `stream`.',
          schema: async () => (await wire()).chatCompletion,
        },
      },
    },
    async () => (await import('./chat/format.ts')).mcpChatFormat,
    parts,
  )
}
