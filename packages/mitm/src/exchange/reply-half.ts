import { SvcError, toSvcError } from '@svc/errors'
import { toUpstreamFailure } from '@svc/http-client'
import { type ClientRequest, isBodiless } from '../client/request.ts'
import { prepareRestoration, type Restoration } from '../filter/restore-reply.ts'
import { ALL_PATHS } from '../filter/scanned-paths.ts'
import { keepEndToEnd } from '../headers.ts'
import type { BudgetAccount } from '../limits/byte-budget.ts'
import type { Limits } from '../limits/limits.ts'
import type { ReplyRestorer } from '../ports.ts'
import { pump } from '../pump.ts'
import { createRefusal } from '../refusal.ts'
import type { ReplyHead, UpstreamBody } from '../upstream/upstream.ts'
import type { Lifetime } from './lifetime.ts'
import type { Outcome } from './outcome.ts'
import type { RequestHalf } from './request-half.ts'

/** The other parts of the exchange. */
export interface ReplyHalfOptions {
  readonly requestHalf: RequestHalf
  readonly lifetime: Lifetime
  readonly outcome: Outcome
  readonly correlationId: string
  readonly bounds: { readonly limits: Limits; readonly account: BudgetAccount }
}

/** The way of one reply to the client: that of the host, or a refusal. */
export class ReplyHalf {
  readonly #request: ClientRequest
  readonly #options: ReplyHalfOptions

  constructor(request: ClientRequest, options: ReplyHalfOptions) {
    this.#request = request
    this.#options = options
  }

  /** Passes on a status ahead of the reply. */
  inform({ status, headers }: ReplyHead): void {
    const { lifetime } = this.#options
    lifetime.touch()
    if (!lifetime.isOver && !this.#request.reply.isStarted) this.#request.reply.inform({ status, headers })
  }

  /** Passes on the reply of the host. One that comes too late is dropped. */
  relay(head: ReplyHead, body: UpstreamBody, restorer?: ReplyRestorer): void {
    const { lifetime, requestHalf, bounds } = this.#options
    if (lifetime.isOver || this.#request.reply.isStarted) {
      requestHalf.abort()
      discard(body)
      return
    }
    lifetime.enter('reply')
    const restoration =
      restorer === undefined || isBodiless(this.#request.method, head.status)
        ? undefined
        : prepareRestoration(head, restorer, bounds)
    if (restoration === undefined) {
      this.#start(head)
      this.#pump(body)
      return
    }
    this.#restore(restoration, body)
  }

  /**
   * Answers instead of the host. A reply that has begun can only be cut off.
   *
   * @param fields members beside `error` in the body
   */
  refuse(error: unknown, fields?: Readonly<Record<string, unknown>>): void {
    const { lifetime, requestHalf, outcome, correlationId } = this.#options
    if (lifetime.isOver) return
    const refusal = SvcError.is(error) ? error : toSvcError(error)
    const isFailure = refusal.kind === 'upstream_failed' || refusal.kind === 'timeout'
    outcome.fail(refusal.code === 'pii_blocked' ? 'blocked' : isFailure ? 'failed' : 'refused', refusal.code)
    requestHalf.abort()
    const { method, target, reply } = this.#request
    if (reply.isStarted) {
      reply.abort()
      return
    }
    const format = outcome.scanned ?? ALL_PATHS.findFormat(target)
    const { status, headers, body } = createRefusal(refusal, format, { correlationId, fields })
    this.#start({ status, statusText: undefined, headers })
    if (!isBodiless(method, status)) reply.stream.write(body)
    reply.finish([])
    this.#drain()
  }

  #start(head: ReplyHead): void {
    const { reply, method } = this.#request
    this.#options.outcome.status = head.status
    try {
      reply.start(head, !isBodiless(method, head.status))
    } catch (error) {
      this.#cut(error)
    }
  }

  #pump(body: UpstreamBody): void {
    const { lifetime, outcome } = this.#options
    const { reply } = this.#request
    pump(body.stream, reply.stream, {
      onBytes: (count) => this.#receive(count),
      onEnd: () => this.#finish(body),
      onFail: (error) => this.#cut(error),
    })
    setImmediate(() => {
      if (outcome.bytesReceived === 0 && !lifetime.isOver && !reply.stream.writableEnded) reply.flush()
    })
  }

  #restore(restoration: Restoration, body: UpstreamBody): void {
    try {
      restoration.run(body.stream, {
        onBytes: (count) => this.#receive(count),
        start: (restored) => this.#start(restored),
        stream: this.#request.reply.stream,
        end: () => this.#finish(restoration.keepsTrailers ? body : undefined),
        fail: (error) => this.#cut(error),
      })
    } catch (error) {
      discard(body)
      this.refuse(error)
    }
  }

  #receive(count: number): void {
    this.#options.outcome.bytesReceived += count
    this.#options.lifetime.touch()
  }

  /** @param body undefined where its trailers do not describe the bytes that went out */
  #finish(body: UpstreamBody | undefined): void {
    const { lifetime, requestHalf } = this.#options
    if (lifetime.isOver) return
    this.#request.reply.finish(body === undefined ? [] : keepEndToEnd(body.trailers()))
    if (requestHalf.isComplete) return
    // The host answered before the end of the body: the rest goes nowhere.
    requestHalf.abort()
    this.#drain()
  }

  #cut(error: unknown): void {
    const { requestHalf, outcome } = this.#options
    outcome.fail('failed', toUpstreamFailure(error).code)
    requestHalf.abort()
    this.#request.reply.abort()
  }

  #drain(): void {
    this.#options.lifetime.enter('drain')
    this.#options.requestHalf.drain()
  }
}

function discard(body: UpstreamBody): void {
  body.stream.on('error', () => {}).resume()
}
