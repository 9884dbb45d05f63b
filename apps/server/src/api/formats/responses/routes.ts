import { responseCountReply, responseCountRequest, responseRequest, responseResource } from '@svc/wire/responses'
import * as z from 'zod'
import type { Call } from '../../../http/call.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteInfo } from '../../../http/route-info.ts'
import { upgradeRequired } from '../../../http/websocket.ts'
import { countInput } from './count.ts'
import { type CreateParts, createResponse } from './create.ts'
import { toEventsError, toResponsesError } from './errors.ts'
import { serveResponses } from './socket.ts'
import { cancelResponse, deleteResponse, getEvents, getResponse, idRequired, listInputItems } from './stored.ts'

const startingAfter = z.string().optional().describe('Number of the last known event; later ones are sent.')
const eventQuery = z.object({ starting_after: startingAfter })
const getQuery = z.object({
  stream: z.string().optional().describe('`true`: the events of the response.'),
  starting_after: startingAfter,
})
const itemQuery = z.object({
  limit: z.string().optional().describe('1 to 100, 20 when it is left out.'),
  order: z.string().optional().describe('`asc`: the first item first.'),
  after: z.string().optional().describe('Id of the item before the first one listed.'),
})

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
    (work: (call: Call, parts: CreateParts) => Promise<Response>): Route['handler'] =>
    (call) =>
      work(call, parts)
  const found = { 200: { description: 'The response.', schema: responseResource } }
  return [
    defineRoute({
      ...creating,
      method: 'POST',
      summary: 'Continue a conversation in the responses format',
      body: responseRequest,
      responses: {
        200: { description: 'The response, or its server-sent events with `stream`.', schema: responseResource },
      },
      handler: withParts(createResponse),
      mapError: toResponsesError,
    }),
    defineRoute({
      ...creating,
      method: 'POST',
      path: '/v1/responses/input_tokens',
      aliases: ['/responses/input_tokens'],
      summary: 'The tokens of the prompt of a response',
      body: responseCountRequest,
      responses: { 200: { description: 'Tokens the model would read.', schema: responseCountReply } },
      handler: withParts(countInput),
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
      serveSocket: (socket) => serveResponses(socket, parts),
    }),
    answer(
      { path: '/v1/responses/:id', summary: 'A stored response', query: getQuery, responses: found },
      withParts(getResponse),
    ),
    {
      ...answer(
        {
          path: '/v1/responses/:id/events',
          // An empty id gets the error for a missing id.
          aliases: ['/v1/responses//events'],
          summary: 'The events of a stored response',
          query: eventQuery,
        },
        withParts(getEvents),
      ),
      mapError: toEventsError,
    },
    answer(
      { path: '/v1/responses/:id/input_items', summary: 'The input of a stored response', query: itemQuery },
      withParts(listInputItems),
    ),
    answer(
      { method: 'POST', path: '/v1/responses/:id/cancel', summary: 'Stop a background response', responses: found },
      withParts(cancelResponse),
    ),
    answer(
      { method: 'DELETE', path: '/v1/responses/:id', summary: 'Forget a stored response' },
      withParts(deleteResponse),
    ),
  ]
}
