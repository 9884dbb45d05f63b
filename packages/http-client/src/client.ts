import type { LookupFunction } from 'node:net'
import { type Origin, toOrigin } from './connection.ts'
import { Exchange, type ExchangeContext } from './exchange.ts'
import { ConnectionPool } from './pool.ts'
import { RunningList } from './running-list.ts'
import { sendThrough } from './send.ts'
import { createTrust } from './trust-store.ts'
import type { PushUpstream } from './upstream.ts'
import type { WayOut } from './way-out/way-out.ts'

/** Options of {@link createHttpUpstream}; every bound has a default. */
export interface HttpUpstreamOptions {
  /** Connections of all origins together. @default 1024 */
  readonly maxConnections?: number | undefined
  /** Connections to one origin. @default 1024 */
  readonly maxPerOrigin?: number | undefined
  /** Requests that may wait for a connection; one more fails with `upstream_busy`. @default 1024 */
  readonly maxWaiting?: number | undefined
  /** Time that an unused connection is kept, milliseconds. @default 15000 */
  readonly keepMs?: number | undefined
  /** For name look-up, TCP and TLS together. @default 10000 */
  readonly connectMs?: number | undefined
  /** Limit for the headers of a reply to a request without `timeoutMs`. @default 300000 */
  readonly headMs?: number | undefined
  /** Limit for the next piece of such a reply, while a reader waits for it. @default 300000 */
  readonly idleMs?: number | undefined
  /** Certificates to trust instead of Node's own, PEM. */
  readonly ca?: string | readonly string[] | undefined
  /** Says which upstreams are reached through a proxy. @default none */
  readonly wayOut?: WayOut | undefined
  /**
   * Resolves names and may refuse addresses, where no proxy does: an error ends the request before a connection is
   * made.
   */
  readonly lookup?: LookupFunction | undefined
}

/** An HTTP/1.1 client with persistent connections. */
export interface HttpUpstream extends PushUpstream, AsyncDisposable {
  /** Open connections, requests that wait for one, and requests in progress (the waiting included). */
  readonly counts: { readonly open: number; readonly waiting: number; readonly running: number }
  /** Ends every request and every connection. */
  close(): Promise<void>
}

const READ_BYTES = 64 * 1024
/** Precision of the time limits. */
const SWEEP_MS = 250

/**
 * Creates the client of the hot path. It follows no redirect, reads no variables of proxies, requests no coding, and
 * decodes gzip, deflate and br where an upstream uses one unasked. It repeats a request only when a kept connection
 * turned out to be closed before a byte of the reply arrived.
 *
 * @example
 * await using upstream = createHttpUpstream()
 * const reply = await upstream.send({ method: 'GET', url: new URL(address), headers: [] }, { signal })
 */
export function createHttpUpstream(options: HttpUpstreamOptions = {}): HttpUpstream {
  const { maxConnections = 1024, maxPerOrigin = 1024, maxWaiting = 1024 } = options
  const { keepMs = 15_000, connectMs = 10_000, headMs = 300_000, idleMs = 300_000, ca, lookup, wayOut } = options
  const pool = new ConnectionPool(
    { maxConnections, maxPerOrigin, maxWaiting, idleMs: keepMs, connectMs },
    { trust: createTrust(ca), lookup, wayOut, readBuffer: Buffer.allocUnsafeSlow(READ_BYTES), sessions: new Map() },
  )
  const running = new RunningList<Exchange>()
  let now = performance.now()
  let sweeper: NodeJS.Timeout | undefined
  const context: ExchangeContext = { pool, running, limits: { headMs, idleMs }, now: () => now }

  function sweep(): void {
    now = performance.now()
    for (const exchange of running.snapshot()) exchange.sweep(now)
    if (pool.sweep(now) || running.size > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }

  const start: PushUpstream['start'] = (request, sink, { signal } = {}) => {
    if (sweeper === undefined) {
      now = performance.now()
      sweeper = setInterval(sweep, SWEEP_MS).unref()
    }
    const exchange = new Exchange(context, { origin: knownOrigin(request.url), request, sink, signal })
    exchange.begin()
    return exchange
  }
  const close = async (): Promise<void> => {
    for (const exchange of running.snapshot()) exchange.abort()
    pool.close()
    clearInterval(sweeper)
  }
  return {
    start,
    send: (request, sendOptions) => sendThrough(start, request, sendOptions),
    get counts() {
      return { ...pool.counts, running: running.size }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const origins = new WeakMap<URL, { readonly href: string; readonly origin: Origin }>()

function knownOrigin(url: URL): Origin {
  const known = origins.get(url)
  if (known !== undefined && known.href === url.href) return known.origin
  const origin = toOrigin(url)
  origins.set(url, { href: url.href, origin })
  return origin
}
