import type { SvcError } from '@svc/errors'
import type { BodyPiece } from '@svc/http-client'
import { upstreamFailed } from '@svc/http-client'
import type { CompletionUsage } from '@svc/wire/openai'
import type { AnswerSize } from './answer-size.ts'
import { endRewrite, rewriteText } from './byte-rewriter.ts'
import { writeErrorEvent } from './error-event.ts'
import { EventGate } from './event-gate.ts'
import type { RelayBody, RelayBodyOptions } from './relay-body.ts'
import { createStreamTap, type StreamTap } from './stream-tap.ts'
import { stripUsage } from './strip-usage.ts'

/** A complete line of data without an empty line after it. */
const WHOLE_DATA = /^data: ?(?:\[DONE\]|\{.*\})\s*$/m

/** An event stream: whole events pass as they come; the head waits for the first of them. */
export class EventStreamBody implements RelayBody {
  readonly #options: RelayBodyOptions
  readonly #tap: StreamTap
  readonly #gate = new EventGate()

  constructor(options: RelayBodyOptions) {
    this.#options = options
    this.#tap = createStreamTap(options.provider)
  }

  get usage(): CompletionUsage | undefined {
    return this.#tap.usage
  }

  get answer(): AnswerSize {
    return this.#tap.answer
  }

  get stopReason(): string | undefined {
    return this.#tap.stopReason
  }

  data(piece: BodyPiece): boolean {
    const events = this.#gate.push(piece.toLatin1())
    if (events === '') return true
    this.#tap.read(events)
    return this.#pass(events)
  }

  end(): SvcError | undefined {
    const { rewriter, reply, head } = this.#options
    // Some upstreams omit the empty line after the last event.
    const rest = this.#gate.takeRest()
    if (WHOLE_DATA.test(rest)) this.#tap.read(rest)
    if (!this.#tap.mayEnd(!head.endsWithConnection)) return upstreamFailed('truncated')
    this.#pass(rest)
    this.#write(endRewrite(rewriter))
    reply.end()
    return undefined
  }

  fail(error: SvcError): void {
    const { rewriter, provider, reply } = this.#options
    // A partly sent event cannot be taken back.
    if (this.#gate.isInside) {
      reply.cut()
      return
    }
    this.#write(endRewrite(rewriter))
    if (!this.#tap.mayEnd(false)) this.#write(writeErrorEvent(provider, error))
    reply.end()
  }

  #pass(events: string): boolean {
    const { stripsUsage, rewriter } = this.#options
    return this.#write(rewriteText(rewriter, stripsUsage ? stripUsage(events) : events))
  }

  #write(text: string): boolean {
    const { reply, head, headers } = this.#options
    if (!reply.hasStarted) {
      reply.start(head.status, [...headers, ['cache-control', 'no-cache'], ['x-accel-buffering', 'no']])
    }
    return reply.write(text)
  }
}
