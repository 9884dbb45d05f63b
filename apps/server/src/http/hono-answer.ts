import type { IncomingMessage } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { SvcError } from '@svc/errors'
import type { App } from './app.ts'
import { errorBody } from './error-envelopes.ts'
import { toStatus } from './error-map.ts'
import type { ServerReply } from './messages.ts'
import type { Upgrade } from './upgrade.ts'

/** Answers a request that Node has read. */
export type HonoAnswer = (
  incoming: IncomingMessage,
  outgoing: ServerReply,
  upgrade: Upgrade | undefined,
) => Promise<void>

/**
 * Answers requests by Hono's router. Its adapter needs the Fetch standard of Node, which takes long to load: the first
 * request that no other way serves loads this module.
 */
export function createHonoAnswer(app: Pick<App, 'fetch'>): HonoAnswer {
  const upgrades = new WeakMap<object, Upgrade>()
  // The listener uses no member of a response that `ServerReply` lacks: handlers write their replies themselves.
  const handle = getRequestListener(
    (request, bindings) => {
      const upgrade = upgrades.get(bindings.incoming)
      const own = { ...bindings, alreadySent: RESPONSE_ALREADY_SENT }
      return app.fetch(request, upgrade === undefined ? own : { ...own, upgrade })
    },
    { overrideGlobalObjects: false, hostname: 'localhost', errorHandler: () => refuseHead() },
  ) as (incoming: IncomingMessage, outgoing: ServerReply) => Promise<void>
  return (incoming, outgoing, upgrade) => {
    if (upgrade !== undefined) upgrades.set(incoming, upgrade)
    return handle(incoming, outgoing)
  }
}

/** The reply to a request whose target and `Host` make no URL, which the adapter refuses before any route is known. */
function refuseHead(): Response {
  const error = new SvcError('invalid_request', 'the target of the request or its Host header is not valid', {
    code: 'invalid_host',
  })
  const status = toStatus(error)
  return new Response(JSON.stringify(errorBody(error, 'compatible')), {
    status,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  })
}
