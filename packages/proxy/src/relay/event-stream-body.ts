import type { SvcError } from '@svc/errors'
import type { CompletionUsage } from '@svc/wire'
import { upstreamFailed } from '../errors.ts'
import type { BodyPiece } from '../upstream.ts'
import { type ByteRewriter, rewrittenEnd, rewrittenText } from './byte-rewriter.ts'
import type { ClientReply } from './client-reply.ts'
import { errorEvent } from './error-event.ts'
import { EventGate } from './event-gate.ts'
import type { RelayBody, RelayBodyOptions } from './relay-body.ts'
import { createStreamTap, type StreamTap } from './stream-tap.ts'

/** A line of data that is all there, though no empty line follows. */
const WHOLE_DATA = /^data: ?(?:\[DONE\]|\{.*\})\s*$/m

/** An event stream: whole events pass as they come; the head waits for the first of them. */
export class EventStreamBody implements RelayBody {
  readonly #options: RelayBodyOptions
  // Kept beside the options: what every event needs is near.
  readonly #reply: ClientReply
  readonly #rewriter: ByteRewriter | undefined
  readonly #tap: StreamTap
  readonly #gate = new EventGate()

  constructor(options: RelayBodyOptions) {
    this.#options = options
    this.#reply = options.reply
    this.#rewriter = options.rewriter
    this.#tap = createStreamTap(options.provider)
  }

  get usage(): CompletionUsage | undefined {
    return this.#tap.usage
  }

  get stopReason(): string | undefined {
    return this.#tap.stopReason
  }

  data(piece: BodyPiece): boolean {
    const events = this.#gate.push(piece.toLatin1())
    if (events === '') return true
    this.#tap.read(events)
    return this.#write(rewrittenText(this.#rewriter, events))
  }

  end(): SvcError | undefined {
    const rewriter = this.#rewriter
    // Some upstreams leave out the empty line after the last event.
    const rest = this.#gate.takeRest()
    if (WHOLE_DATA.test(rest)) this.#tap.read(rest)
    if (!this.#tap.mayEnd(!this.#options.head.endsWithConnection)) return upstreamFailed('truncated')
    this.#write(rewrittenText(rewriter, rest) + rewrittenEnd(rewriter))
    this.#reply.end()
    return undefined
  }

  fail(error: SvcError): void {
    const reply = this.#reply
    // Half of an event cannot be taken back.
    if (this.#gate.isInside) {
      reply.cut()
      return
    }
    this.#write(rewrittenEnd(this.#rewriter))
    if (!this.#tap.mayEnd(false)) this.#write(errorEvent(this.#options.provider, error))
    reply.end()
  }

  #write(text: string): boolean {
    if (!this.#reply.hasStarted) this.#start()
    return this.#reply.write(text)
  }

  #start(): void {
    const { head, headers } = this.#options
    this.#reply.start(head.status, [...headers, ['cache-control', 'no-cache'], ['x-accel-buffering', 'no']])
  }
}
