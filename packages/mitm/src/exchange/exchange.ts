import { randomUUID } from 'node:crypto'
import { SvcError, toSvcError } from '@svc/errors'
import { toUpstreamFailure } from '@svc/http-client'
import { type ClientRequest, isBodiless } from '../client/request.ts'
import { filterUnavailable, invalidRequest, MitmError, misdirected } from '../errors.ts'
import type { TrafficEvent } from '../events.ts'
import { prepareRestoration, type Restoration } from '../filter/restore-reply.ts'
import { scanRequest } from '../filter/scan-request.ts'
import { ALL_PATHS, type ScannedFormat, USUAL_PATHS } from '../filter/scanned-paths.ts'
import { keepEndToEnd, listValues, type RawHeaders, removeHeaders } from '../headers.ts'
import { type HostAndPort, readHostAndPort } from '../hosts/host.ts'
import type { BudgetAccount } from '../limits/byte-budget.ts'
import type { Expiring } from '../limits/deadlines.ts'
import type { BodyFilter, HostRules, ReplyRestorer } from '../ports.ts'
import { pump } from '../pump.ts'
import { createRefusal } from '../refusal.ts'
import type { Shared } from '../shared.ts'
import type {
  ReplyHead,
  ReplyListener,
  UpstreamBody,
  UpstreamConnections,
  UpstreamExchange,
} from '../upstream/upstream.ts'
import { relayUpgrade } from './upgrade.ts'

/** The intercepted connection of a request. */
export interface ExchangeContext {
  readonly shared: Shared
  readonly connectionId: string
  readonly target: HostAndPort
  /** The target as clients write it. */
  readonly authority: string
  /** Whether the TLS name was that of another host. */
  readonly isMisdirected: boolean
  readonly upstream: UpstreamConnections
  /** Finds the rules that apply now. */
  findRules(): HostRules
}

type Phase = 'request' | 'verdict' | 'head' | 'reply' | 'drain'

/** The header with which servers of svc count how many of them a request has passed, and the most. */
const HOP_HEADER = 'x-svc-hop'
const MAX_HOPS = 4
/** How long the rest of a body is read that nobody wants any more. */
const DRAIN_MS = 10_000
const CORRELATION_FORM = /^[\w.:-]{1,128}$/

/** The headers that tell the body of a request apart from the one that was scanned and goes out. */
const OF_THE_OLD_BODY: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'content-md5',
  'content-digest',
  'digest',
  'repr-digest',
  'trailer',
  'expect',
])
const OF_THE_OLD_LENGTH: ReadonlySet<string> = new Set(['content-length', 'trailer', 'expect'])
const ACCEPTED_CODINGS: ReadonlySet<string> = new Set(['accept-encoding'])

/** One request on an intercepted connection: checked, scanned where its path says so, sent, and answered. */
export class Exchange implements Expiring {
  readonly #context: ExchangeContext
  readonly #request: ClientRequest
  /** Of a scanned request. */
  #format: ScannedFormat | undefined
  readonly #correlationId: string
  readonly #begun = performance.now()
  readonly #account: BudgetAccount
  readonly #over: Promise<void>
  #settle: () => void = () => {}
  /** Made when something waits for the client's end; most requests pass without. */
  #gone: AbortController | undefined
  #stopBody: () => void = () => {}
  #phase: Phase = 'request'
  #isClosed = false
  #isRewritten = false
  #isUpgraded = false
  #bodyBegun = 0
  #outgoing: UpstreamExchange | undefined
  #isOutgoingComplete = false
  #outcome: TrafficEvent['outcome'] = 'relayed'
  #code: string | undefined
  #status: number | undefined
  #bytesSent = 0
  #bytesReceived = 0
  deadline: number

  constructor(context: ExchangeContext, request: ClientRequest) {
    this.#context = context
    this.#request = request
    this.#correlationId = readCorrelationId(request.headers)
    this.#account = context.shared.budget.open()
    this.deadline = this.#begun + context.shared.limits.bodyMs
    this.#over = new Promise((resolve) => {
      this.#settle = resolve
    })
    request.reply.onceClosed((isComplete) => this.#close(isComplete))
    request.reply.stream.on('error', () => {})
    context.shared.deadlines.add(this)
  }

  /** Resolves when the reply is over, whatever its end. */
  async run(): Promise<void> {
    try {
      this.#check()
    } catch (error) {
      // A request that can be read in two ways: the bytes behind it are not trusted.
      if (SvcError.is(error) && error.kind !== 'misdirected') this.#request.reply.closeAfterwards()
      this.#refuse(error)
      return this.#over
    }
    try {
      if (this.#request.upgrade !== undefined) await this.#upgrade(this.#request.upgrade)
      else await this.#send()
    } catch (error) {
      this.#refuse(error)
    }
    await this.#over
  }

  expire(): void {
    const { limits } = this.#context.shared
    switch (this.#phase) {
      case 'verdict':
        this.#gone?.abort(filterUnavailable())
        break
      case 'head':
        this.#refuse(upstreamTimedOut())
        break
      case 'request':
      case 'reply':
        this.#fail(this.#phase === 'request' ? 'aborted' : 'failed', 'idle_timeout')
        this.#request.reply.abort()
        break
      case 'drain':
        this.#request.reply.abort()
    }
    // Should the client not take the refusal, the next expiry ends its connection.
    this.#enter('drain', limits.bodyMs)
    if (!this.#isClosed) this.#context.shared.deadlines.add(this)
  }

  #check(): void {
    const { method, authorities, headers, upgrade } = this.#request
    if (authorities.length > 2 || (authorities.length > 1 && this.#request.protocol === 'http/1.1')) {
      throw invalidRequest('the request names its host more than once')
    }
    if (this.#context.isMisdirected) throw misdirected()
    for (const authority of authorities) if (!this.#isForTarget(authority)) throw misdirected()
    if (/^CONNECT$/i.test(method) && upgrade === undefined) {
      throw new MitmError('method_not_allowed', 'CONNECT is not possible here', { code: 'method_not_allowed' })
    }
    const { origin, path } = splitTarget(this.#request.target)
    if (origin !== undefined && !this.#isForTarget(origin)) throw misdirected()
    if (!/^[/*]/.test(path) && upgrade === undefined) throw invalidRequest('the target of the request is no path')
    const codings = listValues(headers, 'transfer-encoding')
    if (codings.some((coding) => coding.trim().toLowerCase() !== 'chunked')) {
      throw invalidRequest('the transfer coding of the request is not known')
    }
    const hops = Number(listValues(headers, HOP_HEADER)[0] ?? 0)
    if (hops >= MAX_HOPS) throw loop()
  }

  #isForTarget(authority: string): boolean {
    const { target, authority: expected } = this.#context
    if (authority === expected) return true
    const { host, port } = target
    const given = readHostAndPort(authority, port)
    return given !== undefined && given.host === host && given.port === port
  }

  async #send(): Promise<void> {
    const request = this.#request
    const { filter, paths = USUAL_PATHS } = this.#context.findRules()
    if (filter !== undefined && /^POST$/i.test(request.method)) {
      const format = paths.findFormat(request.target)
      if (format !== undefined) return this.#scan(format, filter)
    }
    const headers = keepEndToEnd(request.headers, HOST_HEADER)
    await this.#start(countHop(headers), request.hasBody ? 'stream' : undefined)
  }

  async #scan(format: ScannedFormat, filter: BodyFilter): Promise<void> {
    const { limits } = this.#context.shared
    const { host, port } = this.#context.target
    this.#format = format
    this.#bodyBegun = performance.now()
    const about = { host, port, format, correlationId: this.#correlationId }
    const { verdict, scanned } = await scanRequest(this.#request, about, {
      filter,
      limits,
      account: this.#account,
      signal: this.#makeSignal(),
      onProgress: () => this.#progressOfScan(),
      onComplete: () => this.#enter('verdict', limits.filterMs),
    })
    if (this.#isClosed) return
    if (verdict.blocked) {
      const text = verdict.message ?? 'request blocked by content policy (sensitive data detected)'
      this.#refuse(new MitmError('invalid_request', text, { code: 'pii_blocked' }), verdict.fields)
      return
    }
    this.#isRewritten = verdict.body !== scanned
    const isSame = !this.#isRewritten && listValues(this.#request.headers, 'content-encoding').length === 0
    const all = keepEndToEnd(this.#request.headers, HOST_HEADER)
    const headers = removeHeaders(all, isSame ? OF_THE_OLD_LENGTH : OF_THE_OLD_BODY)
    headers.push('content-length', String(verdict.body.length))
    if (verdict.restorer === undefined) return this.#start(countHop(headers), verdict.body)
    const plain = [...removeHeaders(headers, ACCEPTED_CODINGS), 'accept-encoding', 'identity']
    return this.#start(countHop(plain), verdict.body, verdict.restorer)
  }

  #makeSignal(): AbortSignal {
    this.#gone ??= new AbortController()
    return this.#gone.signal
  }

  #progressOfScan(): void {
    const { bodyMs, scannedBodyMs } = this.#context.shared.limits
    this.deadline = Math.min(performance.now() + bodyMs, this.#bodyBegun + scannedBodyMs)
  }

  /** @param body the whole body, or that of the client as it comes */
  async #start(headers: RawHeaders, body: Uint8Array | 'stream' | undefined, restorer?: ReplyRestorer): Promise<void> {
    this.#enter('head', this.#context.shared.limits.replyMs)
    const request = {
      method: this.#request.method.toUpperCase() === 'POST' ? 'POST' : this.#request.method,
      target: splitTarget(this.#request.target).path,
      authority: this.#request.authorities[0] ?? this.#context.authority,
      headers,
      hasBody: body === 'stream' || (body !== undefined && body.length > 0),
    }
    const attempt = async (isLast: boolean): Promise<void> => {
      const listener: ReplyListener = {
        information: ({ status, headers: given }) => this.#inform(status, given),
        reply: (head, reply) => this.#relay(head, reply, restorer),
        fail: (error, isUnprocessed) => {
          if (isUnprocessed && !isLast && body !== 'stream' && !this.#isClosed) {
            attempt(true).catch((failure: unknown) => this.#refuse(failure))
          } else this.#refuse(toFailure(error))
        },
      }
      const outgoing = await this.#context.upstream.start(request, listener, () => !this.#isClosed)
      this.#outgoing = outgoing
      if (this.#isClosed) outgoing.abort()
      else this.#sendBody(outgoing, body)
    }
    await attempt(false)
  }

  #sendBody(outgoing: UpstreamExchange, body: Uint8Array | 'stream' | undefined): void {
    if (body !== 'stream') {
      if (body !== undefined) this.#bytesSent = body.length
      this.#isOutgoingComplete = true
      outgoing.stream.end(body)
      this.#account.release()
      return
    }
    if ('flushHeaders' in outgoing.stream && typeof outgoing.stream.flushHeaders === 'function') {
      outgoing.stream.flushHeaders()
    }
    this.#stopBody = pump(this.#request.body, outgoing.stream, {
      onBytes: (count) => {
        this.#bytesSent += count
        this.#touch()
      },
      onEnd: () => {
        this.#isOutgoingComplete = true
        outgoing.setTrailers(keepEndToEnd(this.#request.trailers()))
        outgoing.stream.end()
      },
      // The client left: its reply closes too.
      onFail: () => outgoing.abort(),
    })
  }

  #inform(status: number, headers: RawHeaders): void {
    this.#touch()
    if (!this.#isClosed && !this.#request.reply.isStarted) this.#request.reply.inform({ status, headers })
  }

  #relay(head: ReplyHead, body: UpstreamBody, restorer: ReplyRestorer | undefined): void {
    if (this.#isClosed || this.#request.reply.isStarted) {
      this.#outgoing?.abort()
      body.stream.on('error', () => {}).resume()
      return
    }
    this.#enter('reply', this.#context.shared.limits.idleMs)
    const restoration =
      restorer === undefined || isBodiless(this.#request.method, head.status)
        ? undefined
        : prepareRestoration(head, restorer, { limits: this.#context.shared.limits, account: this.#account })
    if (restoration === undefined) {
      this.#startReply(head)
      this.#pumpReply(body)
      return
    }
    this.#restore(restoration, body)
  }

  #restore(restoration: Restoration, body: UpstreamBody): void {
    try {
      restoration.run(body.stream, {
        onBytes: (count) => this.#received(count),
        start: (restored) => this.#startReply(restored),
        stream: this.#request.reply.stream,
        end: () => this.#finishReply(restoration.keepsTrailers ? body : undefined),
        fail: (error) => this.#failReply(error),
      })
    } catch (error) {
      body.stream.on('error', () => {}).resume()
      this.#refuse(error)
    }
  }

  #startReply(head: ReplyHead): void {
    const { reply, method } = this.#request
    this.#status = head.status
    try {
      reply.start(head, !isBodiless(method, head.status))
    } catch (error) {
      this.#failReply(error)
    }
  }

  #pumpReply(body: UpstreamBody): void {
    const { reply } = this.#request
    pump(body.stream, reply.stream, {
      onBytes: (count) => this.#received(count),
      onEnd: () => this.#finishReply(body),
      onFail: (error) => this.#failReply(error),
    })
    setImmediate(() => {
      if (this.#bytesReceived === 0 && !this.#isClosed && !reply.stream.writableEnded) reply.flush()
    })
  }

  #received(count: number): void {
    this.#bytesReceived += count
    this.#touch()
  }

  #finishReply(body: UpstreamBody | undefined): void {
    if (this.#isClosed) return
    this.#request.reply.finish(body === undefined ? [] : keepEndToEnd(body.trailers()))
    if (this.#isOutgoingComplete) return
    // The host answered before the end of the body: the rest goes nowhere.
    this.#outgoing?.abort()
    this.#drain()
  }

  #failReply(error: unknown): void {
    this.#fail('failed', toFailure(error).code)
    this.#outgoing?.abort()
    this.#request.reply.abort()
  }

  #drain(): void {
    this.#enter('drain', DRAIN_MS)
    this.#stopBody()
    this.#request.body.on('error', () => {}).resume()
  }

  async #upgrade(protocol: string): Promise<void> {
    this.#enter('head', this.#context.shared.limits.replyMs)
    const outcome = await relayUpgrade(this.#request, protocol, {
      upstream: this.#context.upstream,
      target: this.#context.target,
      signal: this.#makeSignal(),
      onBytes: (sent, received) => {
        this.#bytesSent += sent
        this.#bytesReceived += received
        this.#touch()
      },
    })
    if (outcome.upgraded) {
      this.#isUpgraded = true
      this.#status = outcome.status
      this.#enter('reply', this.#context.shared.limits.idleMs)
    } else {
      this.#isOutgoingComplete = true
      this.#relay(outcome.head, outcome.body, undefined)
    }
  }

  /** Answers instead of the host. A reply that has begun can only be cut off. */
  #refuse(error: unknown, fields?: Readonly<Record<string, unknown>>): void {
    if (this.#isClosed) return
    const refusal = SvcError.is(error) ? error : toSvcError(error)
    const isFailure = refusal.kind === 'upstream_failed' || refusal.kind === 'timeout'
    const outcome = refusal.code === 'pii_blocked' ? 'blocked' : isFailure ? 'failed' : 'refused'
    this.#fail(outcome, refusal.code)
    this.#outgoing?.abort()
    const { reply } = this.#request
    if (reply.isStarted) {
      reply.abort()
      return
    }
    const { status, headers, body } = createRefusal(
      refusal,
      this.#format ?? ALL_PATHS.findFormat(this.#request.target),
      {
        correlationId: this.#correlationId,
        fields,
      },
    )
    const hasBody = !isBodiless(this.#request.method, status)
    this.#startReply({ status, statusText: undefined, headers })
    if (hasBody) reply.stream.write(body)
    reply.finish([])
    this.#drain()
  }

  #fail(outcome: TrafficEvent['outcome'], code: string): void {
    if (this.#code !== undefined) return
    this.#outcome = outcome
    this.#code = code
  }

  #enter(phase: Phase, ms: number): void {
    this.#phase = phase
    this.deadline = performance.now() + ms
  }

  #touch(): void {
    if (this.#phase !== 'reply' && this.#phase !== 'head') return
    const { idleMs, replyMs } = this.#context.shared.limits
    this.deadline = performance.now() + (this.#phase === 'reply' ? idleMs : replyMs)
  }

  #close(isComplete: boolean): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const { shared, connectionId, target } = this.#context
    shared.deadlines.remove(this)
    this.#account.release()
    if (!isComplete) {
      if (!this.#isUpgraded) this.#fail('aborted', 'client_closed')
      this.#gone?.abort(new SvcError('cancelled', 'the client left'))
      this.#outgoing?.abort()
    }
    shared.onEvent({
      type: 'traffic',
      connectionId,
      host: target.host,
      port: target.port,
      correlationId: this.#correlationId,
      method: this.#request.method,
      clientProtocol: this.#request.protocol,
      upstreamProtocol: this.#isUpgraded ? 'http/1.1' : this.#outgoing?.protocol,
      scanned: this.#format,
      rewritten: this.#isRewritten,
      upgraded: this.#isUpgraded,
      outcome: this.#outcome,
      status: this.#status,
      code: this.#code,
      bytesSent: this.#bytesSent,
      bytesReceived: this.#bytesReceived,
      durationMs: performance.now() - this.#begun,
    })
    this.#settle()
  }
}

const HOST_HEADER: ReadonlySet<string> = new Set(['host'])

/** Takes the scheme and the host from a target that begins with them. */
function splitTarget(target: string): { readonly origin: string | undefined; readonly path: string } {
  const match = /^https?:\/\/(?<origin>[^/?#\\]*)/i.exec(target)
  if (match === null) return { origin: undefined, path: target }
  const rest = target.slice(match[0].length)
  return { origin: match.groups?.origin, path: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Counts this server where the request has passed others of its kind. */
function countHop(headers: RawHeaders): RawHeaders {
  return headers.map((text, index) =>
    index % 2 === 1 && headers[index - 1]?.toLowerCase() === HOP_HEADER ? String(Number(text) + 1) : text,
  )
}

function readCorrelationId(headers: RawHeaders): string {
  const given = listValues(headers, 'x-correlation-id')[0] ?? listValues(headers, 'x-request-id')[0] ?? ''
  return CORRELATION_FORM.test(given) ? given : randomUUID()
}

function toFailure(error: unknown): SvcError {
  return SvcError.is(error) ? error : toUpstreamFailure(error)
}

function upstreamTimedOut(): MitmError {
  return new MitmError('timeout', 'the upstream did not answer in time', {
    code: 'upstream_timeout',
    details: { upstream: true, reason: 'head' },
  })
}

function loop(): MitmError {
  return new MitmError('loop', `the request has passed more than ${MAX_HOPS} servers: it goes round in a circle`, {
    code: 'proxy_loop',
  })
}
