import type { Fetch } from '@svc/auth/oauth'
import type { OutboundClient } from './client.ts'

/** Beyond what the package of accounts reads of a reply. */
const MAX_BYTES = 2 * 1024 * 1024
const TIMEOUT_MS = 30_000

/** Sends the requests of sign-in providers, whose addresses the operator configured, as everything else is sent. */
export function createProviderFetch(client: OutboundClient): Fetch {
  return async (url, { method, headers, body, signal = new AbortController().signal }) => {
    const { authorization, ...others } = Object.fromEntries(new Headers({ ...headers }))
    const form = typeof body === 'string' || body === undefined ? undefined : 'application/x-www-form-urlencoded'
    const reply = await client.fetch(url, {
      ...{ signal, trust: 'operator', maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS },
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...(form === undefined ? {} : { 'content-type': form }), ...others },
      ...(body === undefined ? {} : { body: Buffer.from(String(body)) }),
      ...(authorization === undefined ? {} : { credentials: { origin: new URL(url).origin, authorization } }),
    })
    const bytes = Buffer.from(await reply.bytes())
    const isEmpty = reply.status === 204 || reply.status === 304
    return new Response(isEmpty ? null : bytes, { status: reply.status, headers: { ...reply.headers } })
  }
}
