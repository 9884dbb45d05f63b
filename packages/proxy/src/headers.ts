import { SvcError } from '@svc/errors'
import type { Header } from '@svc/http-client'
import type { Provider } from './ports.ts'

/** The header that counts the servers a request has passed. */
export const HOP_HEADER = 'x-svc-hop'
/** Most servers of this product in a row (threats CP-4). */
export const MAX_HOPS = 4
/** The version of the messages format for clients that name none. */
const DEFAULT_MESSAGES_VERSION = '2023-06-01'
const MAX_CLIENT_VALUE = 8192
const TRACE_FORM = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
/** A version of the messages format is a day. */
const VERSION_FORM = /^\d{4}-\d{2}-\d{2}$/
/** A feature of it is a name with the day of its version: `interleaved-thinking-2025-05-14`, `claude-code-20250219`. */
const FEATURE_FORM = /^[a-z][a-z0-9-]{0,50}-\d{4}-?\d{2}-?\d{2}$/
const MAX_FEATURES = 32

/** A client's header, by lower-case name; repeated ones joined with a comma. */
export type ClientHeader = (name: string) => string | undefined

/**
 * The number of servers that the request will have passed at the next one.
 *
 * @throws {SvcError} `loop` past {@link MAX_HOPS}: most likely two servers forward to each other
 */
export function countNextHop(client: ClientHeader): number {
  const given = client(HOP_HEADER)
  const hop = given !== undefined && /^[0-9]{1,9}$/.test(given) ? Number(given) + 1 : 1
  if (hop <= MAX_HOPS) return hop
  throw new SvcError('loop', `the request has passed more than ${MAX_HOPS} servers: it goes round in a circle`, {
    code: 'proxy_loop',
  })
}

/** Headers that carry the key of an upstream; none without a key. */
export function createCredentialHeaders(provider: Provider | undefined, key: string | undefined): Header[] {
  if (key === undefined) return []
  return [provider === 'provider_b' ? ['x-api-key', key] : ['authorization', `Bearer ${key}`]]
}

/**
 * The client's headers that go upstream: the body's type, the accepted types, the trace, and for the messages format
 * its version and features. All others stay here, above all credentials.
 */
export function selectClientHeaders(provider: Provider, client: ClientHeader): Header[] {
  const headers: Header[] = [
    ['content-type', readHeader(client, 'content-type') ?? 'application/json'],
    ['accept', readHeader(client, 'accept') ?? '*/*'],
    [HOP_HEADER, String(countNextHop(client))],
  ]
  const trace = givenTrace(client)
  if (trace !== undefined) headers.push(['traceparent', trace])
  if (provider === 'provider_b') {
    const version = readHeader(client, 'anthropic-version') ?? ''
    headers.push(['anthropic-version', VERSION_FORM.test(version) ? version : DEFAULT_MESSAGES_VERSION])
    headers.push(...selectFeatureHeader(client))
  }
  return headers
}

/** The features of the messages format that a client turns on; none without any. */
export function selectFeatureHeader(client: ClientHeader = () => undefined): Header[] {
  const features = selectFeatures(readHeader(client, 'anthropic-beta'))
  return features === '' ? [] : [['anthropic-beta', features]]
}

/**
 * The headers of a request that the server makes for a client: the hop count and the trace.
 *
 * @throws {SvcError} `loop` past {@link MAX_HOPS}
 */
export function createHopHeaders(client: ClientHeader = () => undefined): Header[] {
  const trace = givenTrace(client)
  return [[HOP_HEADER, String(countNextHop(client))], ...(trace === undefined ? [] : [['traceparent', trace] as const])]
}

/** Keeps names that have the form of a feature: no filter scans the text of a header. */
function selectFeatures(list = ''): string {
  const names = list.split(',').map((name) => name.trim())
  return names
    .filter((name) => FEATURE_FORM.test(name))
    .slice(0, MAX_FEATURES)
    .join(',')
}

function givenTrace(client: ClientHeader): string | undefined {
  const trace = readHeader(client, 'traceparent')
  return trace !== undefined && TRACE_FORM.test(trace) ? trace : undefined
}

/** A client's value where it is printable ASCII of a sensible length. */
function readHeader(client: ClientHeader, name: string): string | undefined {
  const value = client(name)
  return value !== undefined && value.length <= MAX_CLIENT_VALUE && /^[\x20-\x7e]+$/.test(value) ? value : undefined
}

/** Headers of an upstream that reach the client, beside rate limits. All others may be meant for our own origin. */
const REPLY_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'content-language',
  'retry-after',
  'retry-after-ms',
  'request-id',
  'x-request-id',
  'x-should-retry',
])
const RATE_LIMIT = /^(?:x-|anthropic-)?ratelimit(?:-|$)/

/** The headers of an upstream's reply that reach the client, unchanged (threats CP-3). */
export function selectReplyHeaders(headers: readonly Header[]): Header[] {
  return headers.filter(([name]) => REPLY_HEADERS.has(name) || RATE_LIMIT.test(name))
}
