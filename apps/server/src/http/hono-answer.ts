import type { IncomingMessage } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { App } from './app.ts'
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
    { overrideGlobalObjects: false, hostname: 'localhost' },
  ) as (incoming: IncomingMessage, outgoing: ServerReply) => Promise<void>
  return (incoming, outgoing, upgrade) => {
    if (upgrade !== undefined) upgrades.set(incoming, upgrade)
    return handle(incoming, outgoing)
  }
}
