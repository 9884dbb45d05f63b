import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Readiness } from '../../../monitoring/readiness.ts'

/** `GET /healthz` succeeds while the process lives, `GET /readyz` while it accepts requests. */
export function healthRoutes(readiness: Readiness): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/healthz',
      access: 'none',
      family: 'compatible',
      tag: 'system',
      summary: 'Whether the process lives',
      quiet: true,
      responses: { 200: { description: 'It does; the body is empty.' } },
      handler: () => new HttpReply(null),
    }),
    defineRoute({
      method: 'GET',
      path: '/readyz',
      access: 'none',
      family: 'compatible',
      tag: 'system',
      summary: 'Whether requests are accepted',
      quiet: true,
      responses: {
        200: {
          description: 'They are. The body is empty, unless the message bus is away.',
          schema: async () => (await import('./schemas.ts')).unready,
        },
        503: {
          description: 'Starting, stopping, or degraded: no disk, no database, no data folder.',
          schema: async () => (await import('./schemas.ts')).unready,
        },
      },
      async handler() {
        const unready = await readiness.look()
        if (unready === undefined) {
          const slowness = readiness.slowness()
          return slowness === undefined ? new HttpReply(null) : json(slowness)
        }
        return json(unready, { status: 503, headers: { 'Retry-After': '1' } })
      },
    }),
  ]
}
