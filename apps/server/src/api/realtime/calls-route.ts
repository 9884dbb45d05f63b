import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import type { HttpReply } from '../../http/http-reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { CallRouteParts } from './calls-handlers.ts'
import { realtimeRoute } from './routes.ts'

type Handlers = typeof import('./calls-handlers.ts')

const schemas = () => import('./calls-schemas.ts')

/** Calls of telephone networks that the public API has and this server does not. */
const TELEPHONE_ACTIONS = ['accept', 'reject', 'refer'] as const

/** `/v1/realtime/calls`: conversations over WebRTC. */
export function callRoutes(parts: CallRouteParts): Route[] {
  const handle = (choose: (handlers: Handlers) => (call: Call, parts: CallRouteParts) => Promise<HttpReply>) => {
    return async (call: Call) => choose(await import('./calls-handlers.ts'))(call, parts)
  }
  return [
    defineRoute({
      ...realtimeRoute,
      method: 'POST',
      path: '/v1/realtime/calls',
      aliases: ['/realtime/calls'],
      summary: 'Begin a spoken conversation over WebRTC',
      form: true,
      bodyType: 'application/sdp',
      query: async () => (await schemas()).callQuery,
      body: async () => (await schemas()).callBody,
      responses: {
        200: {
          description: 'The answer to an offer in JSON.',
          schema: async () => (await schemas()).callAnswer,
        },
        201: { description: 'The answer to any other offer; `Location` has the call.', contentType: 'application/sdp' },
        501: { description: 'The server has no WebRTC library; the message has the command that installs it.' },
      },
      handler: handle(({ openRealtimeCall }) => openRealtimeCall),
    }),
    defineRoute({
      ...realtimeRoute,
      method: 'POST',
      path: '/v1/realtime/calls/:call_id/hangup',
      aliases: ['/realtime/calls/:call_id/hangup'],
      summary: 'End a call',
      responses: {
        200: { description: 'It is over.', schema: async () => (await schemas()).hangUpReply },
        404: { description: 'No such call, or one of another account.' },
      },
      handler: handle(({ hangUpCall }) => hangUpCall),
    }),
    ...TELEPHONE_ACTIONS.map(refuseTelephone),
  ]
}

/** Refuses an action on calls of telephones by its name. */
function refuseTelephone(action: (typeof TELEPHONE_ACTIONS)[number]): Route {
  return defineRoute({
    ...realtimeRoute,
    method: 'POST',
    path: `/v1/realtime/calls/:call_id/${action}`,
    summary: `Not supported: ${action} a call of a telephone (SIP)`,
    responses: { 501: { description: 'There are no calls of telephones.' } },
    handler: () => {
      throw new SvcError('not_implemented', `${action} is for calls over SIP, which this server does not take`, {
        code: 'not_supported',
      })
    },
  })
}
