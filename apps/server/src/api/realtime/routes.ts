import type { Call } from '../../http/call.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { upgradeRequired } from '../../http/websocket.ts'
import type { SocketParts } from './socket.ts'

/** Common fields of all realtime routes. */
export const realtimeRoute = {
  access: 'any',
  feature: 'realtime',
  family: 'compatible',
  tag: 'inference',
} as const

/** `GET /v1/realtime`. */
export function socketRoute(parts: SocketParts): Route {
  return defineRoute({
    ...realtimeRoute,
    method: 'GET',
    path: '/v1/realtime',
    aliases: ['/realtime'],
    usecase: 'realtime_audio',
    summary: 'A WebSocket for a spoken conversation',
    socket: { protocols: ['realtime'], binary: true, waits: true },
    query: async () => (await import('./schemas.ts')).realtimeQuery,
    responses: {
      101: { description: 'A WebSocket: each message is an event. `session.created` comes first.' },
      426: { description: 'The request did not ask for a WebSocket.' },
    },
    handler: (call: Call) => {
      throw upgradeRequired(call)
    },
    serveSocket: async (socket) => (await import('./socket.ts')).serveRealtime(socket, parts),
  })
}
