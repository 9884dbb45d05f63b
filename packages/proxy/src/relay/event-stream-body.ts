import type { SvcError } from '@svc/errors'
import type { CompletionUsage } from '@svc/wire'
import { upstreamFailed } from '../errors.ts'
import { errorEvent } from './error-event.ts'
import { EventGate } from './event-gate.ts'
import type { RelayBodyOptions } from './relay.ts'
import type { RelayBody } from './relay-body.ts'
import { rewrittenEnd, rewrittenText } from './rewritten.ts'
import { createStreamTap, type StreamTap } from './stream-tap.ts'

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

  get stopReason(): string | undefined {
    return this.#tap.stopReason
  }

  data(bytes: Buffer): boolean {
    const events = this.#gate.push(bytes.toString('latin1'))
    if (events === '') return true
    this.#tap.read(events)
    const { rewriter } = this.#options
    return this.#write(rewriter === undefined ? events : rewrittenText(rewriter, events))
  }

  end(): SvcError | undefined {
    if (!this.#tap.mayEnd(!this.#options.head.endsWithConnection)) return upstreamFailed('truncated')
    const { rewriter, reply } = this.#options
    if (rewriter !== undefined) this.#write(rewrittenEnd(rewriter))
    // An oversize event may have ended without an empty line.
    reply.end()
    return undefined
  }

  fail(error: SvcError): void {
    const { rewriter, provider, reply } = this.#options
    // Half of an event cannot be taken back.
    if (this.#gate.isInside) {
      reply.cut()
      return
    }
    if (!this.#tap.mayEnd(false)) {
      this.#write(rewriter === undefined ? '' : rewrittenEnd(rewriter))
      this.#write(errorEvent(provider, error))
    }
    reply.end()
  }

  #write(text: string): boolean {
    const { reply, head, headers } = this.#options
    if (!reply.hasStarted) {
      reply.start(head.status, [...headers, ['cache-control', 'no-cache'], ['x-accel-buffering', 'no']])
    }
    return reply.write(text)
  }
}
