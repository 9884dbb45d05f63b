import { SvcError } from '@svc/errors'
import { decodeSse } from '@svc/wire/sse'
import { systemClock } from '../clock.ts'
import type { ServerConfig } from '../config/schema.ts'
import { quietLogger } from '../logging/quiet-logger.ts'
import { escapeLine } from '../logging/terminal-text.ts'
import { createOutboundClient } from '../outbound/client.ts'
import type { OutboundResponse } from '../outbound/response.ts'
import { toReachableUrl } from './greeting.ts'

/** Members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Calls a server of this product. */
export interface ServerClient {
  /** @throws {SvcError} of the connection, or with the message of the server */
  get(path: string): Promise<unknown>
  /** Gives the status of the reply to a GET. @throws {SvcError} of the connection */
  status(path: string): Promise<number>
  /** @throws as {@link ServerClient.get} */
  post(path: string, body?: Fields): Promise<Fields>
  /** @throws as {@link ServerClient.get} */
  patch(path: string, body: Fields): Promise<Fields>
  /** Gives the members of the reply, if it has some. @throws as {@link ServerClient.get} */
  delete(path: string): Promise<Fields>
  /** Posts a body and gives the data of the reply's events as they come. @throws as {@link ServerClient.get} */
  stream(path: string, body: Fields, options: { readonly signal: AbortSignal }): AsyncIterable<string>
}

const TIMEOUT_MS = 60_000
/** A model may have to be loaded first, and may take its time between two words. */
const STREAM_TIMEOUT_MS = 24 * 60 * 60 * 1000
const MAX_REPLY_BYTES = 64 * 1024 * 1024
/** Longest text of a foreign error; a person reads no more. */
const MAX_MESSAGE_LENGTH = 2048

/** Where the server of a configuration can be reached from this machine. */
export function toServerUrl({ address }: Pick<ServerConfig, 'address'>): string {
  const host = address.host ?? ''
  const isAnywhere = host === '' || host === '0.0.0.0' || host === '::'
  return toReachableUrl(`http://${isAnywhere ? '127.0.0.1' : host}:${address.port}/`)
}

/** A client of the server at a URL; it sends the first shared key of the configuration. */
export function createServerClient(base: string, { apiKeys: [key] }: Pick<ServerConfig, 'apiKeys'>): ServerClient {
  const { origin } = new URL(base)
  const client = createOutboundClient({
    allow: { cidrs: [], hosts: [] },
    clock: systemClock,
    log: quietLogger,
    userAgent: 'svc',
  })
  interface Call {
    readonly path: string
    readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
    readonly body?: Fields | undefined
    readonly signal?: AbortSignal
    readonly isStream?: boolean
  }
  function send({ path, method, body, signal, isStream = false }: Call): Promise<OutboundResponse> {
    return client.fetch(new URL(path, base).href, {
      signal: signal ?? new AbortController().signal,
      trust: 'operator',
      method,
      maxBytes: MAX_REPLY_BYTES,
      timeoutMs: isStream ? STREAM_TIMEOUT_MS : TIMEOUT_MS,
      idleTimeoutMs: isStream ? STREAM_TIMEOUT_MS : undefined,
      ...(key === undefined ? {} : { credentials: { origin, authorization: `Bearer ${key}` } }),
      ...(body === undefined
        ? {}
        : { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } }),
    })
  }
  async function call(request: Call): Promise<unknown> {
    await using reply = await send(request)
    if (reply.status >= 400) throw await readRefusal(reply)
    return reply.status === 204 ? undefined : await reply.json()
  }
  return {
    get: (path) => call({ path, method: 'GET' }),
    async status(path) {
      await using reply = await send({ path, method: 'GET' })
      return reply.status
    },
    async post(path, body) {
      return toFields(await call({ path, method: 'POST', body: body ?? {} }))
    },
    patch: async (path, body) => toFields(await call({ path, method: 'PATCH', body })),
    delete: async (path) => toFields(await call({ path, method: 'DELETE' })),
    async *stream(path, body, { signal }) {
      await using reply = await send({ path, method: 'POST', body, signal, isStream: true })
      if (reply.status >= 400) throw await readRefusal(reply)
      const { 'content-type': type = '' } = reply.headers
      if (!type.startsWith('text/event-stream')) throw toServerError('what answers there is not a server of models')
      for await (const { data } of decodeSse(reply.body)) yield data
    },
  }
}

/** The error of a reply: the message of the server, else its status. */
async function readRefusal(reply: OutboundResponse): Promise<SvcError> {
  const value = await reply.json().catch((error: unknown) => {
    if (SvcError.is(error) && error.code === 'fetch_failed') return undefined
    throw error
  })
  const message = readMessage(value) ?? `the server answers with status ${reply.status}`
  return toServerError(message, reply.status === 401 ? ' (--api-keys KEY or SVC_API_KEY names a key)' : '')
}

/**
 * An error with a message of the server, which is a foreign text: it is cut where it is long, and makes no line of its
 * own.
 */
export function toServerError(message: string, hint = ''): SvcError {
  // A character of two units stays whole or is left out.
  const start = message.slice(0, MAX_MESSAGE_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')
  const shown = message.length > MAX_MESSAGE_LENGTH ? `${start}…` : message
  return new SvcError('internal', `${escapeLine(shown)}${hint}`)
}

/** Whether a call failed because no server listens there. */
export function isNoServer(error: unknown): boolean {
  return SvcError.is(error) && error.code === 'fetch_failed' && toFields(error.details).reason === 'connection_refused'
}

function readMessage(value: unknown): string | undefined {
  const { error, candidates, hint } = toFields(value)
  const message = typeof error === 'string' ? error : toFields(error).message
  if (typeof message !== 'string') return undefined
  // The server cannot choose: the user names one of these.
  if (!Array.isArray(candidates) || typeof hint !== 'string') return message
  const names = candidates.filter((candidate) => typeof candidate === 'string')
  return `${message}: name one of ${names.join(', ')} with --backend`
}

/** The members of a value; none where it is not an object. */
export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** The members of each item of a list; none where the value is not a list. */
export function toRows(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(toFields) : []
}
