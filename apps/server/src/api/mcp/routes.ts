import { ASSISTANT_RIGHT } from '../../assistant/right.ts'
import type { Call } from '../../http/call.ts'
import type { HttpReply } from '../../http/http-reply.ts'
import { nothingHere } from '../../http/nothing-here.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { RouteInfo } from '../../http/route-info.ts'

const schemas = () => import('./schemas.ts')

/** Parts of {@link mcpRoutes}. */
export interface McpRouteParts {
  readonly isOn: () => boolean
  /** Answers a request. The first call loads the protocol. */
  readonly serve: (call: Call) => Promise<HttpReply>
}

const shared = {
  path: '/mcp',
  ...ASSISTANT_RIGHT,
  family: 'compatible',
  tag: 'assistant',
} as const satisfies Partial<RouteInfo>
const unknown = { description: 'The session has ended, or belongs to another caller.' }

/** `/mcp`: the tools of the assistant over the Model Context Protocol, as streamable HTTP. */
export function mcpRoutes({ isOn, serve }: McpRouteParts): Route[] {
  function handler(call: Call): Promise<HttpReply> {
    if (!isOn()) throw nothingHere(call.incoming.method, [])
    return serve(call)
  }
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      summary: 'A message to the tools of the assistant (Model Context Protocol)',
      body: async () => (await schemas()).message,
      responses: {
        200: { description: 'The answer, as server-sent events.', contentType: 'text/event-stream' },
        202: { description: 'Taken; there is nothing to answer.' },
        404: unknown,
      },
      handler,
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      summary: 'The messages of the server to a session, or the rest of a stream',
      quiet: true,
      responses: {
        200: { description: 'Server-sent events.', contentType: 'text/event-stream' },
        404: unknown,
      },
      handler,
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      summary: 'End a session',
      responses: { 200: { description: 'It has ended, with its tools.' }, 404: unknown },
      handler,
    }),
  ]
}
