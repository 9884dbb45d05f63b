import { SvcError } from '@svc/errors'
import * as z from 'zod'
import { registered } from '../cluster/contract/registration.ts'
import type { OutboundClient } from '../outbound/client.ts'

const TIMEOUT_MS = 30_000
/** A sign of life that is late is of no use. */
const HEARTBEAT_TIMEOUT_MS = 10_000
const MAX_REPLY_BYTES = 4 * 1024 * 1024
const MAX_MESSAGE = 500

/** Reply to a registration. */
export type Registered = z.output<typeof registered>

/** Calls of a worker to a front end. All throw {@link SvcError} of the connection, and of a refusal. */
export interface FrontEnd {
  /** @throws {SvcError} also code `registration_refused`, where another try would end in the same way */
  register(body: unknown, options: { readonly signal: AbortSignal }): Promise<Registered>
  /** @returns whether the front end knows the worker as one that is there */
  heartbeat(id: string, body: unknown, options: { readonly signal: AbortSignal }): Promise<boolean>
  /** Number of requests that run on the worker. */
  countRunning(id: string, options: { readonly signal: AbortSignal }): Promise<number>
  /** Drain: no new requests. Deregister: the worker goes away. */
  change(id: string, verb: 'drain' | 'deregister', options: { readonly signal: AbortSignal }): Promise<void>
}

const heartbeatReply = z.object({ status: z.string().nullish() })
const runningReply = z.array(z.object({ in_flight: z.number().nullish() }))
const refusal = z.object({ error: z.object({ message: z.string() }).or(z.string()) })

/** Creates the calls. @param url URL of the front end; a path before that of its routes may be in it */
export function createFrontEnd({
  url,
  token,
  client,
}: {
  readonly url: string
  readonly token: string
  readonly client: Pick<OutboundClient, 'fetch'>
}): FrontEnd {
  const base = url.replace(/\/+$/, '')
  const { origin } = new URL(base)

  async function call(
    [method, path, body]: readonly ['GET' | 'POST', string, unknown?],
    signal: AbortSignal,
    timeoutMs = TIMEOUT_MS,
  ): Promise<{ readonly status: number; readonly value: unknown }> {
    await using reply = await client.fetch(`${base}/api/node/${path}`, {
      signal,
      trust: 'operator',
      method,
      maxBytes: MAX_REPLY_BYTES,
      timeoutMs,
      ...(token === '' ? {} : { credentials: { origin, authorization: `Bearer ${token}` } }),
      ...(method === 'GET'
        ? {}
        : { body: Buffer.from(JSON.stringify(body ?? {})), headers: { 'content-type': 'application/json' } }),
    })
    const value = await reply.json().catch((error: unknown) => {
      if (reply.status >= 400) return undefined
      throw error
    })
    return { status: reply.status, value }
  }

  return {
    async register(body, { signal }) {
      const { status, value } = await call(['POST', 'register', body], signal)
      if (status < 300) return read(registered, value)
      const isFinal = [400, 401, 403, 404, 422].includes(status)
      throw refused(status, value, isFinal ? 'registration_refused' : undefined)
    },
    async heartbeat(id, body, { signal }) {
      const { status, value } = await call(
        ['POST', `${encodeURIComponent(id)}/heartbeat`, body],
        signal,
        HEARTBEAT_TIMEOUT_MS,
      )
      if (status === 404) return false
      if (status >= 300) throw refused(status, value)
      return heartbeatReply.safeParse(value).data?.status !== 'offline'
    },
    async countRunning(id, { signal }) {
      const { status, value } = await call(['GET', `${encodeURIComponent(id)}/models`], signal)
      if (status >= 300) throw refused(status, value)
      return read(runningReply, value).reduce((sum, { in_flight: count }) => sum + (count ?? 0), 0)
    },
    async change(id, verb, { signal }) {
      const { status, value } = await call(['POST', `${encodeURIComponent(id)}/${verb}`], signal)
      if (status >= 300) throw refused(status, value)
    },
  }
}

function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const found = schema.safeParse(value)
  if (found.success) return found.data
  throw new SvcError('upstream_failed', 'what answers there is not a front end of workers', { code: 'front_end_reply' })
}

function refused(status: number, value: unknown, code = 'front_end_failed'): SvcError {
  const { error } = refusal.safeParse(value).data ?? {}
  const message = typeof error === 'string' ? error : error?.message
  const reason = message === undefined ? '' : `: ${message.slice(0, MAX_MESSAGE)}`
  return new SvcError('upstream_failed', `the front end answers with status ${status}${reason}`, { code })
}
