import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { SvcError } from '@svc/errors'
import type { OutboundClient, OutboundRequest } from '../outbound/client.ts'
import type { Trust } from '../outbound/failures.ts'
import { createKeptConnections } from '../outbound/kept-connections.ts'
import type { OutboundResponse } from '../outbound/response.ts'
import type { Clock } from '../ports.ts'
import { type BodyEnd, boundBody } from './bounded-body.ts'
import { messageTooComplex, messageTooLarge, serverFailed } from './failures.ts'
import { createPendingAnswers } from './pending-answers.ts'
import { shareRenewals } from './shared-renewals.ts'

/** Options of {@link createGuardedFetch}. */
export interface GuardedFetchOptions {
  readonly client: OutboundClient
  readonly clock: Clock
  /** Name of the server, for failures. */
  readonly server: string
  readonly url: string
  /** `operator` for addresses of model files, `public` for those of requests. */
  readonly trust: Trust
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Address of the authorization server in the settings. */
  readonly issuer?: string | undefined
  readonly timeoutMs: number
  readonly maxMessageBytes: number
  /** Ends a request whose answer can no longer come. */
  readonly onLost: (id: string | number, failure: SvcError) => void
}

/** A `fetch` for the protocol library that goes through the guarded client. */
export interface GuardedFetch {
  readonly fetch: FetchLike
  /** Notes that the answer to a request has come. */
  settle(id: string | number): void
  /** Cuts all connections. */
  close(): void
}

/** Time of requests that have no long answer. */
const SHORT_MS = 30_000
/** Time that the server gets beyond the time of a call, so that the call ends first. */
const MARGIN_MS = 10_000
/** Silence after which the stream of notifications is opened anew. */
const STREAM_IDLE_MS = 10 * 60_000
/** Streams that may be opened in each {@link STREAM_WINDOW_MS}; one more is answered as by a server without them. */
const STREAMS_PER_WINDOW = 20
const STREAM_WINDOW_MS = 60_000
const MAX_TIMER_MS = 2 ** 31 - 1
/** Answers to questions of the server that are on their way: one that asks without end makes the library answer each. */
const MAX_ANSWERS = 128
/** Bytes of all events in one answer, as a multiple of the largest message. */
const MESSAGES_PER_ANSWER = 16

/** What the library sends. */
interface Sent {
  readonly method?: string
  readonly id?: string | number
  readonly params?: { readonly requestId?: string | number }
}

/**
 * Creates the fetch of one session. It refuses redirects, bounds every message, cuts the connection of a cancelled
 * request, and reports requests whose connection ended without an answer. The signals of the library mean the end of
 * the session, which closes it.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { server, maxMessageBytes, clock } = options
  const open = new Set<AbortController>()
  const pending = createPendingAnswers(options.onLost, clock)
  const mayStream = createStreamLimit(clock)
  const connections = createKeptConnections()
  let isClosed = false
  let answers = 0

  const isOwn = (address: string | URL): boolean => String(address) === new URL(options.url).href

  async function send(address: string | URL, init: RequestInit = {}): Promise<Response> {
    if (isClosed || init.signal?.aborted === true) throw serverFailed(server, 'was closed')
    const method = toMethod(init.method)
    const headers = new Headers(init.headers)
    const isStream = method === 'GET' && headers.get('accept') === 'text/event-stream'
    if (isStream && !mayStream()) return new Response(null, { status: 405 })
    const sent = method === 'POST' ? readSent(init.body) : {}
    const isAnswer = method === 'POST' && sent.method === undefined
    if (isAnswer && answers >= MAX_ANSWERS) throw serverFailed(server, 'takes no answers to its questions')
    const id = sent.method === undefined ? undefined : sent.id
    const connection = new AbortController()
    open.add(connection)
    if (isAnswer) answers += 1
    if (id !== undefined) pending.add(id, connection)
    try {
      const reply = await options.client.fetch(String(address), {
        ...toLimits({ isStream, isRequest: id !== undefined }, options),
        ...toPlace(new URL(address).origin, headers, options),
        ...(id !== undefined && isOwn(address) ? { connections } : {}),
        ...(init.body == null ? {} : { body: Buffer.from(String(init.body)) }),
        method,
        headers: Object.fromEntries(headers),
        signal: connection.signal,
      })
      return toResponse(reply, { id, isStream, release: () => open.delete(connection) })
    } catch (error) {
      open.delete(connection)
      throw error
    } finally {
      if (isAnswer) answers -= 1
      if (sent.method === 'notifications/cancelled') pending.cut(sent.params?.requestId ?? '')
    }
  }

  function toResponse(
    reply: OutboundResponse,
    { id, isStream, release }: { readonly id: Sent['id']; readonly isStream: boolean; readonly release: () => void },
  ): Response {
    const { status, headers } = reply
    if (status < 200 || status > 599 || EMPTY.has(status)) {
      release()
      void reply.close()
      if (!EMPTY.has(status)) throw serverFailed(server, `answers with the status ${status}`)
      return new Response(null, { status, headers: { ...headers } })
    }
    // The library reads a stream as events whatever its type, and replies to sign-ins as JSON.
    const isEvents = isStream || (id !== undefined && /^text\/event-stream/i.test(headers['content-type'] ?? ''))
    const onEnd = ({ refusal, hasIds }: BodyEnd): void => {
      release()
      if (id === undefined) return
      if (refusal !== undefined) pending.lose(id, refusal)
      else if (isEvents && !hasIds) pending.loseSoon(id, serverFailed(server, 'ended its answer without a result'))
    }
    const body = boundBody(reply, {
      isEvents,
      maxBytes: maxMessageBytes,
      tooLarge: () => messageTooLarge(server, maxMessageBytes),
      tooComplex: () => messageTooComplex(server),
      onEnd,
    })
    return new Response(body, { status, headers: { ...headers } })
  }

  return {
    fetch: shareRenewals(send, clock),
    settle: pending.settle,
    close() {
      isClosed = true
      pending.close()
      for (const connection of open) connection.abort(new DOMException('the session was closed', 'AbortError'))
      open.clear()
      connections.close()
    },
  }
}

/** Statuses of replies without a body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

function toLimits(
  { isStream, isRequest }: { readonly isStream: boolean; readonly isRequest: boolean },
  { timeoutMs, maxMessageBytes }: GuardedFetchOptions,
): Pick<OutboundRequest, 'maxBytes' | 'timeoutMs' | 'idleTimeoutMs' | 'decode'> {
  if (isStream) {
    const maxBytes = Number.MAX_SAFE_INTEGER
    return { maxBytes, timeoutMs: MAX_TIMER_MS, idleTimeoutMs: STREAM_IDLE_MS, decode: false }
  }
  const ms = isRequest ? Math.min(timeoutMs + MARGIN_MS, MAX_TIMER_MS) : SHORT_MS
  return { maxBytes: maxMessageBytes * MESSAGES_PER_ANSWER, timeoutMs: ms, idleTimeoutMs: ms }
}

/**
 * The trust and the credentials of an address. Headers of the settings go to the server alone. Addresses that the server
 * names, such as its authorization server, must be public unless the settings name them too.
 */
function toPlace(
  origin: string,
  headers: Headers,
  { url, token, issuer, trust, headers: own = {} }: GuardedFetchOptions,
): Pick<OutboundRequest, 'trust' | 'credentials'> {
  const isServer = origin === new URL(url).origin
  const isNamed = isServer || (issuer !== undefined && origin === new URL(issuer).origin)
  const authorization =
    headers.get('authorization') ?? (isServer && token !== undefined ? `Bearer ${token}` : undefined)
  const secrets = isServer ? Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]) : []
  return {
    trust: isNamed ? trust : 'public',
    credentials: { origin, authorization, headers: Object.fromEntries(secrets) },
  }
}

/** Whether another stream may be opened: a server can make the library open them in a loop. */
function createStreamLimit(clock: Pick<Clock, 'monotonic'>): () => boolean {
  let opened: number[] = []
  return () => {
    const now = clock.monotonic()
    opened = opened.filter((at) => now - at < STREAM_WINDOW_MS)
    if (opened.length >= STREAMS_PER_WINDOW) return false
    opened.push(now)
    return true
  }
}

function toMethod(method: string | undefined): 'GET' | 'POST' | 'DELETE' {
  return method === 'POST' || method === 'DELETE' ? method : 'GET'
}

/** Reads what the library sends: its own JSON. */
function readSent(body: RequestInit['body']): Sent {
  if (typeof body !== 'string') return {}
  try {
    const sent: unknown = JSON.parse(body)
    return typeof sent === 'object' && sent !== null ? (sent as Sent) : {}
  } catch {
    return {}
  }
}
