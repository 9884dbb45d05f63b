import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
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

const FOUND = { 200: { description: 'The response.', schema: async () => (await wire()).responseResource } }

/** `/v1/responses`: creating responses, and the stored ones. */
export function responsesRoutes(parts: CreateParts): Route[] {
  return [
    createRoute(parts),
    countRoute(parts),
    socketRoute(parts),
    readRoute(parts),
    eventsRoute(parts),
    inputItemsRoute(parts),
    cancelRoute(parts),
    deleteRoute(parts),
  ]
}

function createRoute(parts: CreateParts): Route {
  return defineRoute({
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
    handler: withParts(parts, async () => (await import('./create.ts')).createResponse),
    mapError: toResponsesError,
  })
}

function countRoute(parts: CreateParts): Route {
  return defineRoute({
    ...creating,
    method: 'POST',
    path: '/v1/responses/input_tokens',
    aliases: ['/responses/input_tokens'],
    summary: 'The tokens of the prompt of a response',
    body: async () => (await wire()).responseCountRequest,
    responses: {
      200: { description: 'Tokens the model would read.', schema: async () => (await wire()).responseCountReply },
    },
    handler: withParts(parts, async () => (await import('./count.ts')).countInput),
    mapError: toResponsesError,
  })
}

function socketRoute(parts: CreateParts): Route {
  return defineRoute({
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
  })
}

/** Answers a plain GET of the socket's address. With a trailing slash it is the address of a response without an id. */
function refuseWithoutUpgrade(call: Call): never {
  throw call.incoming.url?.split('?', 1)[0]?.endsWith('/') === true ? idRequired() : upgradeRequired(call)
}

function readRoute(parts: CreateParts): Route {
  return defineStoredRoute({
    path: '/v1/responses/:id',
    summary: 'A stored response',
    query: async () => (await schemas()).getQuery,
    responses: FOUND,
    handler: withParts(parts, async () => (await stored()).getResponse),
  })
}

function eventsRoute(parts: CreateParts): Route {
  return defineStoredRoute({
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
    handler: withParts(parts, async () => (await stored()).getEvents),
    mapError: toEventsError,
  })
}

function inputItemsRoute(parts: CreateParts): Route {
  return defineStoredRoute({
    path: '/v1/responses/:id/input_items',
    summary: 'The input of a stored response',
    query: async () => (await schemas()).itemQuery,
    responses: { 200: { description: 'A page of items.', schema: async () => (await schemas()).inputItems } },
    handler: withParts(parts, async () => (await stored()).listInputItems),
  })
}

function cancelRoute(parts: CreateParts): Route {
  return defineStoredRoute({
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    summary: 'Stop a background response',
    responses: FOUND,
    handler: withParts(parts, async () => (await stored()).cancelResponse),
  })
}

function deleteRoute(parts: CreateParts): Route {
  return defineStoredRoute({
    method: 'DELETE',
    path: '/v1/responses/:id',
    summary: 'Forget a stored response',
    responses: { 200: { description: 'It is gone.', schema: async () => (await schemas()).deletedResponse } },
    handler: withParts(parts, async () => (await stored()).deleteResponse),
  })
}

/** Defines a route of stored responses: a GET by default, also without `/v1`. */
function defineStoredRoute(route: Pick<Route, 'path' | 'summary' | 'handler'> & Partial<Route>): Route {
  return defineRoute({
    method: 'GET',
    access: 'self',
    feature: 'chat',
    family: 'responses',
    tag: 'inference',
    ...route,
    aliases: [route.path.replace('/v1', ''), ...(route.aliases ?? [])],
  })
}

/** Creates a handler whose module is loaded by the first call. */
function withParts(
  parts: CreateParts,
  load: () => Promise<(call: Call, parts: CreateParts) => Promise<HttpReply>>,
): Route['handler'] {
  return async (call) => (await load())(call, parts)
}
