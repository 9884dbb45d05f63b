import { SvcError } from '@svc/errors'
import type { ClientRequest } from '../client/request.ts'
import { filterUnavailable, MitmError } from '../errors.ts'
import { scanRequest } from '../filter/scan-request.ts'
import { type ScannedFormat, USUAL_PATHS } from '../filter/scanned-paths.ts'
import type { BudgetAccount } from '../limits/byte-budget.ts'
import type { BodyFilter, HostRules } from '../ports.ts'
import type { ProxyParts } from '../proxy-parts.ts'
import type { UpstreamConnections } from '../upstream/upstream.ts'
import { Lifetime, type Phase } from './lifetime.ts'
import { Outcome } from './outcome.ts'
import { forwardScanned, forwardUnread, type OutgoingRequest } from './outgoing-request.ts'
import { ReplyHalf } from './reply-half.ts'
import { RequestHalf } from './request-half.ts'
import { checkHead, type ExpectedHost, readCorrelationId } from './request-head.ts'
import { relayUpgrade } from './upgrade.ts'

/** The intercepted connection of a request. */
export interface ExchangeContext extends ExpectedHost {
  readonly shared: ProxyParts
  readonly connectionId: string
  readonly upstream: UpstreamConnections
  /** Finds the rules that apply now. */
  findRules(): HostRules
}

/** One request on an intercepted connection: checked, scanned where its path says so, sent, and answered. */
export class Exchange {
  readonly #context: ExchangeContext
  readonly #request: ClientRequest
  readonly #correlationId: string
  readonly #account: BudgetAccount
  readonly #outcome = new Outcome()
  readonly #lifetime: Lifetime
  readonly #requestHalf: RequestHalf
  readonly #replyHalf: ReplyHalf

  constructor(context: ExchangeContext, request: ClientRequest) {
    const { shared, upstream } = context
    this.#context = context
    this.#request = request
    this.#correlationId = readCorrelationId(request.headers)
    this.#account = shared.budget.open()
    this.#lifetime = new Lifetime(shared, (phase) => this.#endPhase(phase))
    this.#requestHalf = new RequestHalf(request, {
      upstream,
      isWanted: () => !this.#lifetime.isOver,
      onBytes: (count) => this.#move(count, 0),
      onWhole: (sizeBytes) => {
        this.#outcome.bytesSent = sizeBytes
        this.#account.release()
      },
    })
    this.#replyHalf = new ReplyHalf(request, {
      requestHalf: this.#requestHalf,
      lifetime: this.#lifetime,
      outcome: this.#outcome,
      correlationId: this.#correlationId,
      bounds: { limits: shared.limits, account: this.#account },
    })
  }

  /** Resolves when the reply is over, with or without an error. */
  async run(): Promise<void> {
    const { reply, upgrade } = this.#request
    const over = new Promise<void>((resolve) => {
      reply.onceClosed((isComplete) => {
        if (!this.#lifetime.isOver) this.#close(isComplete)
        resolve()
      })
    })
    reply.stream.on('error', () => {})
    try {
      checkHead(this.#request, this.#context)
    } catch (error) {
      // A request that can be read in two ways: the bytes behind it are not trusted.
      if (SvcError.is(error) && error.kind !== 'misdirected') reply.closeAfterwards()
      this.#replyHalf.refuse(error)
      return over
    }
    try {
      if (upgrade === undefined) await this.#forward()
      else await this.#upgrade(upgrade)
    } catch (error) {
      this.#replyHalf.refuse(error)
    }
    await over
  }

  async #forward(): Promise<void> {
    const request = this.#request
    const { filter, paths = USUAL_PATHS } = this.#context.findRules()
    if (filter !== undefined && /^POST$/i.test(request.method)) {
      const format = paths.findFormat(request.target)
      if (format !== undefined) return this.#scan(format, filter)
    }
    return this.#send(forwardUnread(request, this.#context.authority))
  }

  async #scan(format: ScannedFormat, filter: BodyFilter): Promise<void> {
    const { shared, target, authority } = this.#context
    const { host, port } = target
    this.#outcome.scanned = format
    const about = { host, port, format, correlationId: this.#correlationId }
    const { verdict, scanned } = await scanRequest(this.#request, about, {
      filter,
      limits: shared.limits,
      account: this.#account,
      signal: this.#lifetime.signal,
      onProgress: () => this.#lifetime.touch(),
      onComplete: () => this.#lifetime.enter('verdict'),
    })
    if (this.#lifetime.isOver) return
    if (verdict.blocked) {
      const text = verdict.message ?? 'request blocked by content policy (sensitive data detected)'
      this.#replyHalf.refuse(new MitmError('invalid_request', text, { code: 'pii_blocked' }), verdict.fields)
      return
    }
    const { body, restorer } = verdict
    this.#outcome.isRewritten = body !== scanned
    return this.#send(forwardScanned(this.#request, authority, { body, restorer, scanned }))
  }

  async #send(outgoing: OutgoingRequest): Promise<void> {
    this.#lifetime.enter('head')
    await this.#requestHalf.send(outgoing, {
      information: (head) => this.#replyHalf.inform(head),
      reply: (head, body) => this.#replyHalf.relay(head, body, outgoing.restorer),
      fail: (error) => this.#replyHalf.refuse(error),
    })
  }

  async #upgrade(protocol: string): Promise<void> {
    const { upstream, target } = this.#context
    this.#lifetime.enter('head')
    const relay = await relayUpgrade(this.#request, protocol, {
      upstream,
      target,
      signal: this.#lifetime.signal,
      onBytes: (sent, received) => this.#move(sent, received),
    })
    if (relay.upgraded) {
      this.#outcome.isUpgraded = true
      this.#outcome.status = relay.status
      this.#lifetime.enter('reply')
    } else this.#replyHalf.relay(relay.head, relay.body)
  }

  #move(sent: number, received: number): void {
    this.#outcome.bytesSent += sent
    this.#outcome.bytesReceived += received
    this.#lifetime.touch()
  }

  #endPhase(phase: Phase): void {
    switch (phase) {
      case 'verdict':
        this.#lifetime.abort(filterUnavailable())
        break
      case 'head':
        // A handshake is a wait, whose end is the refusal.
        if (this.#request.upgrade === undefined) this.#replyHalf.refuse(upstreamTimedOut())
        else this.#lifetime.abort(upstreamTimedOut())
        break
      case 'request':
      case 'reply':
        this.#outcome.fail(phase === 'request' ? 'aborted' : 'failed', 'idle_timeout')
        this.#request.reply.abort()
        break
      case 'drain':
        this.#request.reply.abort()
    }
  }

  #close(isComplete: boolean): void {
    const { shared, connectionId, target } = this.#context
    const { method, protocol } = this.#request
    this.#lifetime.end()
    this.#account.release()
    if (!isComplete) {
      if (!this.#outcome.isUpgraded) this.#outcome.fail('aborted', 'client_closed')
      this.#lifetime.abort(new SvcError('cancelled', 'the client left'))
      this.#requestHalf.abort()
    }
    shared.onEvent({
      type: 'traffic',
      connectionId,
      host: target.host,
      port: target.port,
      correlationId: this.#correlationId,
      method,
      clientProtocol: protocol,
      upstreamProtocol: this.#outcome.isUpgraded ? 'http/1.1' : this.#requestHalf.protocol,
      ...this.#outcome.toFields(),
    })
  }
}

function upstreamTimedOut(): MitmError {
  return new MitmError('timeout', 'the upstream did not answer in time', {
    code: 'upstream_timeout',
    details: { upstream: true, reason: 'head' },
  })
}
