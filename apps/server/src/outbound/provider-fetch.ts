import type { Fetch } from '@svc/auth/oauth'
import { SvcError } from '@svc/errors'
import type { OutboundClient, OutboundRequest } from './client.ts'

/** Larger than the part of a reply that the package of accounts reads. */
const MAX_BYTES = 2 * 1024 * 1024
const TIMEOUT_MS = 30_000

/**
 * Sends the requests of sign-in providers, whose addresses the operator configured, as everything else is sent. Answers as
 * `fetch` does: a redirect that is not followed is a reply.
 */
export function createProviderFetch(client: OutboundClient): Fetch {
  return async (url, { method, headers, body, signal = new AbortController().signal }) => {
    const { authorization, ...others } = Object.fromEntries(new Headers({ ...headers }))
    const form = typeof body === 'string' || body === undefined ? undefined : 'application/x-www-form-urlencoded'
    return send(client, url, {
      signal,
      trust: 'operator',
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...(form === undefined ? {} : { 'content-type': form }), ...others },
      ...(body === undefined ? {} : { body: Buffer.from(String(body)) }),
      ...(authorization === undefined ? {} : { credentials: { origin: new URL(url).origin, authorization } }),
    })
  }
}

async function send(client: OutboundClient, url: string, request: OutboundRequest): Promise<Response> {
  try {
    const reply = await client.fetch(url, request)
    const bytes = Buffer.from(await reply.bytes())
    const isEmpty = [204, 205, 304].includes(reply.status)
    return new Response(isEmpty ? null : bytes, { status: reply.status, headers: { ...reply.headers } })
  } catch (error) {
    if (SvcError.is(error) && error.details?.reason === 'redirect') return new Response(null, { status: 302 })
    throw error
  }
}
