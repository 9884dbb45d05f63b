import type { IncomingMessage } from 'node:http'
import type { SecureContext } from 'node:tls'
import { SvcError } from '@svc/errors'
import { createTrust, type ForwardProxy, toDestination, type WayOut } from '@svc/http-client'
import type { Clock, Logger } from '../ports.ts'
import { announcesTooMuch, readContent } from './content.ts'
import { parseContentCoding } from './content-coding.ts'
import { exchange } from './exchange.ts'
import { fetchFailed, fetchTooLarge, type Trust, toFetchFailure, withHost } from './failures.ts'
import { toReplyHeaders, toRequestHeaders } from './headers.ts'
import { isLoopbackAddress } from './host-name.ts'
import type { KeptConnections } from './kept-connections.ts'
import { type Lifetime, startLifetime } from './lifetime.ts'
import { readRedirect, staysWithin } from './redirect.ts'
import { createResponse, type OutboundResponse } from './response.ts'
import {
  type AllowList,
  createTargetFinder,
  type FindTarget,
  type Resolve,
  systemResolve,
  type Target,
} from './target.ts'

/** Options of {@link createOutboundClient}. */
export interface OutboundClientOptions {
  /** Addresses that URLs of requests may reach although they are not public. */
  readonly allow: AllowList
  readonly clock: Clock
  readonly log: Logger
  /** Sent as `User-Agent`. */
  readonly userAgent: string
  /** Says which hosts are reached through a proxy. @default none */
  readonly wayOut?: WayOut | undefined
  /** @default the system's resolver */
  readonly resolve?: Resolve | undefined
  /** Certificates to trust, PEM. @default Node's own, and those of `NODE_EXTRA_CA_CERTS` */
  readonly ca?: string | undefined
}

/** One fetch. */
export interface OutboundRequest {
  readonly signal: AbortSignal
  /**
   * Origin of the URL. `operator`: it is configured and may be private. `public`: it is from a request or a fetched
   * document.
   */
  readonly trust: Trust
  /** Maximum bytes of content, counted after decoding. */
  readonly maxBytes: number
  /** Time for everything from the first look-up to the last byte. */
  readonly timeoutMs: number
  /** Time for a reply's headers, and between two pieces of its content while the reader waits. @default 30000 */
  readonly idleTimeoutMs?: number | undefined
  /** @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | undefined
  /**
   * Names in any case; others than `accept*`, `content-type`, `range`, `if-range`, `if-none-match`,
   * `if-modified-since`, `mcp-*` and `last-event-id` are dropped.
   */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Whether the first origin gets all headers but credentials and those of the connection. Another one, after a redirect,
   * gets the listed ones. @default false
   */
  readonly passesHeaders?: boolean | undefined
  /** The value of `Authorization` and further headers with secrets, and the only origin that gets them. */
  readonly credentials?:
    | {
        readonly origin: string
        readonly authorization?: string | undefined
        readonly headers?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  readonly body?: Uint8Array | undefined
  /** Redirects of a GET or HEAD that are followed, at most {@link MAX_REDIRECTS}; one more is a failure. @default 0 */
  readonly redirects?: number | undefined
  /** Connections of earlier requests to the same server, for another one. @default a connection of its own */
  readonly connections?: KeptConnections | undefined
  /** Whether encoded content (gzip, deflate, br) is requested and decoded. @default true, but false with `range` */
  readonly decode?: boolean | undefined
}

/** The only way out of the server over HTTP, except for providers' proxies. */
export interface OutboundClient {
  /**
   * Fetches a URL. Every hop passes the same rules: its name is looked up once, and the connection goes to a checked
   * address. A redirect away from the operator's address must pass the rules for public URLs. Credentials are dropped
   * for good at the first change of scheme, host or port. Any status except a redirect is a reply.
   *
   * @throws SvcError `url_not_allowed` (invalid_request), `fetch_failed` (upstream_failed), `fetch_too_large`
   *   (too_large), `fetch_timeout` (timeout, `details.upstream`); the signal's reason. Reading the content throws the
   *   same. For public trust each code has one message; `details.reason` has more, only for logs
   */
  fetch(url: string, request: OutboundRequest): Promise<OutboundResponse>
}

/** Redirects that files of galleries and registries may take: hubs lead through several hosts to a storage. */
export const MAX_REDIRECTS = 10

const DEFAULT_IDLE_TIMEOUT_MS = 30_000

/**
 * Creates the client for outbound HTTP (G9, FETCH-1). A request has a connection of its own, unless it names
 * connections that are kept.
 *
 * @public used by galleries, content URLs, the CORS proxy and identity providers as they are built
 * @example
 * const client = createOutboundClient({ allow: { cidrs: [], hosts: [] }, clock, log, userAgent: 'svc/1.0' })
 * await using reply = await client.fetch(url, { signal, trust: 'public', maxBytes: 20_000_000, timeoutMs: 30_000 })
 * const image = reply.status === 200 ? await reply.bytes() : undefined
 */
export function createOutboundClient(options: OutboundClientOptions): OutboundClient {
  const { allow, clock, log, resolve = systemResolve, wayOut } = options
  const findProxy = (url: URL): ForwardProxy | undefined => wayOut?.find(toDestination(url))
  const findTarget = createTargetFinder({ allow, resolve, isProxied: (url) => findProxy(url) !== undefined })
  const certificates = createTrust(options.ca)
  return {
    async fetch(url, request) {
      const { signal, trust, timeoutMs, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = request
      const lifetime = startLifetime({ clock, signal, timeoutMs, idleTimeoutMs })
      try {
        const { target, message } = await follow(url, request, {
          ...options,
          findTarget,
          findProxy,
          lifetime,
          certificates,
        })
        return toResponse({ target, message, request, lifetime })
      } catch (error) {
        const failure = lifetime.signal.aborted ? lifetime.signal.reason : toFetchFailure(error, trust)
        lifetime.abort(failure)
        if (SvcError.is(failure)) log.debug({ trust, code: failure.code, ...failure.details }, 'outbound fetch failed')
        throw failure
      }
    },
  }
}

/** A reply with its address. */
interface Reply {
  readonly target: Target
  readonly message: IncomingMessage
}

interface FollowOptions {
  readonly findTarget: FindTarget
  readonly findProxy: (url: URL) => ForwardProxy | undefined
  readonly lifetime: Lifetime
  readonly userAgent: string
  readonly certificates: (() => SecureContext) | undefined
}

/** Sends the request, follows redirects, and gives the reply. */
async function follow(
  firstUrl: string,
  request: OutboundRequest,
  { findTarget, findProxy, lifetime, userAgent, certificates }: FollowOptions,
): Promise<Reply> {
  const { method = 'GET', body, headers: given = {}, connections } = request
  const { signal } = lifetime
  let url: string | URL = firstUrl
  let { trust, credentials } = request
  const credentialsOrigin = credentials === undefined ? undefined : new URL(credentials.origin).origin
  let firstOrigin: string | undefined
  for (let hop = 0; ; hop += 1) {
    lifetime.startWaiting()
    try {
      const target = await findTarget(url, { trust, signal }).catch((error: unknown) => {
        // The operator's address is correct; the server there redirected badly.
        throw hop > 0 && request.trust === 'operator'
          ? fetchFailed('redirect_refused', { trust: 'operator', cause: error })
          : error
      })
      const secrets = target.url.origin === credentialsOrigin ? credentials : undefined
      firstOrigin ??= target.url.origin
      const passesAll = request.passesHeaders === true && target.url.origin === firstOrigin
      const headers = {
        ...toRequestHeaders({
          given,
          passesAll,
          userAgent,
          decode: isDecoding(request),
          authorization: secrets?.authorization,
        }),
        ...secrets?.headers,
      }
      // A name of this machine never leaves it.
      const proxy = isOnOwnMachine(target) ? undefined : findProxy(target.url)
      const message = await exchange({ target, method, headers, body, certificates, proxy, connections, signal })
      lifetime.stopWaiting()
      if (message.statusCode === 407 && proxy !== undefined) {
        message.destroy()
        throw fetchFailed('proxy_credentials', { trust })
      }
      const next = readRedirect(message, target.url)
      if (next === undefined) return { target, message }
      message.destroy()
      refuseRedirect(next, hop, request)
      if (next.origin !== target.url.origin) credentials = undefined
      if (!staysWithin(target.url, next)) trust = 'public'
      url = next
    } catch (error) {
      throw withHost(toFetchFailure(error, request.trust), readHost(url))
    }
  }
}

/** @throws {SvcError} `fetch_failed` for a redirect that is not followed */
function refuseRedirect(
  next: URL | 'invalid',
  hop: number,
  { method = 'GET', redirects = 0, trust }: OutboundRequest,
): asserts next is URL {
  if (next === 'invalid' || redirects === 0 || (method !== 'GET' && method !== 'HEAD')) {
    throw fetchFailed('redirect', { trust })
  }
  if (hop >= Math.min(redirects, MAX_REDIRECTS)) throw fetchFailed('too_many_redirects', { trust })
}

function isOnOwnMachine({ addresses }: Target): boolean {
  return addresses.length > 0 && addresses.every(isLoopbackAddress)
}

function readHost(url: string | URL): string {
  return URL.canParse(String(url)) ? new URL(url).host : ''
}

function isDecoding({ decode, headers = {} }: OutboundRequest): boolean {
  // A part of encoded content can neither be decoded nor joined to a part of plain content.
  return decode ?? !Object.keys(headers).some((name) => name.toLowerCase() === 'range')
}

interface ToResponseOptions extends Reply {
  readonly request: OutboundRequest
  readonly lifetime: Lifetime
}

function toResponse({ target, message, request, lifetime }: ToResponseOptions): OutboundResponse {
  const { maxBytes, trust, signal } = request
  const coding = isDecoding(request) ? parseContentCoding(message.headers['content-encoding']) : 'identity'
  if (coding === undefined) throw fetchFailed('invalid_encoding', { trust })
  const hasContent = request.method !== 'HEAD' && message.statusCode !== 304
  if (hasContent && announcesTooMuch(message.headers['content-length'], { coding, maxBytes })) throw fetchTooLarge()
  return createResponse({
    status: message.statusCode ?? 0,
    url: target.url.href,
    headers: toReplyHeaders(message.headers, { isDecoded: coding !== 'identity' }),
    content: readContent({ message, lifetime, coding, maxBytes, trust, host: target.url.host }),
    cut: () => lifetime.abort(new DOMException('the response was closed', 'AbortError')),
    trust,
    signal,
  })
}
