import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteInfo } from '../../../http/route-info.ts'
import { upgradeRequired } from '../../../http/websocket.ts'
import type { CreateParts } from './create.ts'
import { idRequired, toEventsError, toResponsesError } from './errors.ts'

const stored = () => import('./stored.ts')
const schemas = () => import('./schemas.ts')
const wire = () => import('@svc/wire/responses')

/** Common fields of all routes that create responses. */
const creating = {
  path: '/v1/responses',
  aliases: ['/responses'],
  access: 'any',
  feature: 'chat',
  family: 'responses',
  usecase: 'chat',
  modelRequired: true,
  scanned: 'responses',
  tag: 'inference',
} as const

/** Answers a plain GET of the socket's address. With a trailing slash it is the address of a response without an id. */
function refuseWithoutUpgrade(call: Call): never {
  throw call.incoming.url?.split('?', 1)[0]?.endsWith('/') === true ? idRequired() : upgradeRequired(call)
}

/** `/v1/responses`: creating responses, and the stored ones. */
export function responsesRoutes(parts: CreateParts): Route[] {
  const answer = (route: Pick<RouteInfo, 'path' | 'summary'> & Partial<RouteInfo>, handler: Route['handler']): Route =>
    defineRoute({
      method: 'GET',
      access: 'self',
      feature: 'chat',
      family: 'responses',
      tag: 'inference',
      ...route,
      aliases: [route.path.replace('/v1', ''), ...(route.aliases ?? [])],
      handler,
    })
  const withParts =
    (load: () => Promise<(call: Call, parts: CreateParts) => Promise<HttpReply>>): Route['handler'] =>
    async (call) =>
      (await load())(call, parts)
  const found = { 200: { description: 'The response.', schema: async () => (await wire()).responseResource } }
  return [
    defineRoute({
      ...creating,
      method: 'POST',
      summary: 'Continue a conversation in the responses format',
      body: async () => (await wire()).responseRequest,
      responses: {
        200: {
          description: 'The response, or its server-sent events with `stream`.',
          schema: async () => (await wire()).responseResource,
        },
      },
      handler: withParts(async () => (await import('./create.ts')).createResponse),
      mapError: toResponsesError,
    }),
    defineRoute({
      ...creating,
      method: 'POST',
      path: '/v1/responses/input_tokens',
      aliases: ['/responses/input_tokens'],
      summary: 'The tokens of the prompt of a response',
      body: async () => (await wire()).responseCountRequest,
      responses: {
        200: { description: 'Tokens the model would read.', schema: async () => (await wire()).responseCountReply },
      },
      handler: withParts(async () => (await import('./count.ts')).countInput),
      mapError: toResponsesError,
    }),
    defineRoute({
      ...creating,
      method: 'GET',
      summary: 'A WebSocket on which responses are made, one after the other',
      socket: { protocols: [] },
      responses: {
        101: {
          description: 'A WebSocket: `response.create` messages are answered with the events of their responses.',
        },
        426: { description: 'The request did not ask for a WebSocket.' },
      },
      handler: refuseWithoutUpgrade,
      serveSocket: async (socket) => (await import('./socket.ts')).serveResponses(socket, parts),
    }),
    answer(
      {
        path: '/v1/responses/:id',
        summary: 'A stored response',
        query: async () => (await schemas()).getQuery,
        responses: found,
      },
      withParts(async () => (await stored()).getResponse),
    ),
    {
      ...answer(
        {
          path: '/v1/responses/:id/events',
          // An empty id gets the error for a missing id.
          aliases: ['/v1/responses//events'],
          summary: 'The events of a stored response',
          query: async () => (await schemas()).eventQuery,
          responses: {
            200: {
              description: 'Server-sent events, each with one of these.',
              contentType: 'text/event-stream',
              schema: async () => (await wire()).responseEvent,
            },
          },
        },
        withParts(async () => (await stored()).getEvents),
      ),
      mapError: toEventsError,
    },
    answer(
      {
        path: '/v1/responses/:id/input_items',
        summary: 'The input of a stored response',
        query: async () => (await schemas()).itemQuery,
        responses: { 200: { description: 'A page of items.', schema: async () => (await schemas()).inputItems } },
      },
      withParts(async () => (await stored()).listInputItems),
    ),
    answer(
      { method: 'POST', path: '/v1/responses/:id/cancel', summary: 'Stop a background response', responses: found },
      withParts(async () => (await stored()).cancelResponse),
    ),
    answer(
      {
        method: 'DELETE',
        path: '/v1/responses/:id',
        summary: 'Forget a stored response',
        responses: { 200: { description: 'It is gone.', schema: async () => (await schemas()).deletedResponse } },
      },
      withParts(async () => (await stored()).deleteResponse),
    ),
  ]
}
