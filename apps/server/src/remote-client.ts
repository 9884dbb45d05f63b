import { SvcError } from '@svc/errors'
import { systemClock } from './clock.ts'
import type { ServerConfig } from './config/schema.ts'
import { toReachableUrl } from './greeting.ts'
import { createOutboundClient } from './outbound/client.ts'
import { quietLogger } from './quiet-logger.ts'
import { escapeLine } from './terminal-text.ts'

/** Members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Calls a server of this product. */
export interface ServerClient {
  /** @throws {SvcError} of the connection, or with the message of the server */
  get(path: string): Promise<unknown>
  /** @throws as {@link ServerClient.get} */
  post(path: string, body?: Fields): Promise<Fields>
}

const TIMEOUT_MS = 60_000
const MAX_REPLY_BYTES = 64 * 1024 * 1024

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
    ...{ clock: systemClock, log: quietLogger, userAgent: 'svc' },
  })
  async function call(path: string, method: 'GET' | 'POST', body?: Fields): Promise<unknown> {
    await using reply = await client.fetch(new URL(path, base).href, {
      signal: new AbortController().signal,
      ...{ trust: 'operator', method, maxBytes: MAX_REPLY_BYTES, timeoutMs: TIMEOUT_MS },
      ...(key === undefined ? {} : { credentials: { origin, authorization: `Bearer ${key}` } }),
      ...(body === undefined
        ? {}
        : { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } }),
    })
    const value = await reply.json()
    if (reply.status < 400) return value
    throw toServerError(readMessage(value) ?? `the server answers with status ${reply.status}`)
  }
  return {
    get: (path) => call(path, 'GET'),
    async post(path, body) {
      return toFields(await call(path, 'POST', body ?? {}))
    },
  }
}

/** An error with a message of the server, which is a foreign text and makes no line of its own. */
export function toServerError(message: string): SvcError {
  return new SvcError('internal', escapeLine(message))
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
  return `${message}: name one of ${candidates.join(', ')} with --backend`
}

/** The members of a value; none where it is no object. */
export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** The members of each item of a list; none where it is no list. */
export function toRows(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(toFields) : []
}
