import { SvcError } from '@svc/errors'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { ALREADY_SENT, type HttpReply } from '../../../http/http-reply.ts'
import { READ_STALL_MS, waitForDrain } from '../../../http/reply-writer.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { OutboundClient } from '../../../outbound/client.ts'
import type { OutboundResponse } from '../../../outbound/response.ts'
import { toProxyError } from './proxy-errors.ts'
import { toSafeHeaders } from './safe-headers.ts'

/** Parts of the routes. */
export interface CorsProxyParts {
  readonly bodies: BodyReader
  readonly client: OutboundClient
}

const MAX_BYTES = 100 * 1024 * 1024
const TIMEOUT_MS = 600_000
/** Pause of a server that sends events; their protocol keeps a connection alive more often. */
const IDLE_TIMEOUT_MS = 120_000
/** Replies under way; each may hold a connection for ten minutes. */
const MAX_OPEN = 64

/** `GET` and `POST /api/cors-proxy?url=`: a public address for pages of this server (threats CORS-1, CORS-2). */
export function corsProxyRoutes(parts: CorsProxyParts): Route[] {
  let open = 0
  const serve = async (call: Call): Promise<HttpReply> => {
    checkCaller(call)
    const url = call.query('url') ?? ''
    if (url === '') throw new SvcError('invalid_request', 'url is missing', { details: { param: 'url' } })
    if (open >= MAX_OPEN) {
      throw new SvcError('unavailable', 'too many requests are forwarded at this moment', {
        code: 'proxy_busy',
        retryAfterMs: 1000,
      })
    }
    open += 1
    try {
      return await forward(call, url, parts)
    } finally {
      open -= 1
    }
  }
  const shared = {
    path: '/api/cors-proxy',
    access: 'any',
    feature: 'mcp',
    family: 'flat',
    tag: 'cors-proxy',
    query: async () => (await import('./schemas.ts')).proxyQuery,
    responses: {
      200: { description: 'The reply of that address with its status, as a file that runs no script.' },
      400: { description: 'The URL is missing, or none that can be fetched.' },
      403: { description: 'The URL leads to an internal host or a private network.' },
      502: { description: 'The address did not answer.' },
    },
    handler: serve,
  } as const
  return [
    defineRoute({ ...shared, method: 'GET', summary: 'Fetch a public address for a page of this server' }),
    defineRoute({ ...shared, method: 'POST', summary: 'Send a body to a public address for a page of this server' }),
  ]
}

/** Lets pages of this server in, and programs. Another page must not read through this one. */
function checkCaller(call: Call): void {
  const site = call.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin') return
  throw new SvcError('forbidden', 'only pages of this server may ask', { code: 'cross_site' })
}

async function forward(call: Call, url: string, { bodies, client }: CorsProxyParts): Promise<HttpReply> {
  const isPost = call.incoming.method === 'POST'
  const held = isPost ? await bodies.read(call) : undefined
  try {
    await using reply = await client
      .fetch(url, {
        signal: call.signal,
        trust: 'public',
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        method: isPost ? 'POST' : 'GET',
        headers: readHeaders(call),
        passesHeaders: true,
        body: held?.bytes,
        redirects: isPost ? 0 : 3,
      })
      .catch((error: unknown) => {
        throw toProxyError(error)
      })
    await send(call, reply)
    return ALREADY_SENT
  } finally {
    held?.release()
  }
}

/** The client's headers; the outbound client drops credentials and those of the connection. */
function readHeaders(call: Call): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(call.incoming.headers).map((name) => [name, call.header(name)]))
}

/** Sends the reply as it comes. A reply that breaks off is cut, so that the client does not take it for a whole one. */
async function send({ outgoing }: Call, reply: OutboundResponse): Promise<void> {
  outgoing.writeHead(reply.status, toSafeHeaders(reply.headers))
  try {
    for await (const chunk of reply.body) {
      if (outgoing.destroyed) return
      if (!outgoing.write(chunk)) await waitForDrain(outgoing, READ_STALL_MS)
    }
    outgoing.end()
  } catch {
    outgoing.destroy()
  }
}
