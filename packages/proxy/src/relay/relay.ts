import { SvcError } from '@svc/errors'
import type {
  BodyPiece,
  PushUpstream,
  StopSignal,
  UpstreamCall,
  UpstreamHead,
  UpstreamRequest,
  UpstreamSink,
} from '@svc/http-client'
import { upstreamFailed } from '@svc/http-client'
import type { CompletionUsage } from '@svc/wire/openai'
import { checkProvider } from '../check-provider.ts'
import { replyHeaders } from '../headers.ts'
import type { Provider } from '../ports.ts'
import { headerOf, UpstreamStatusError } from '../upstream-error.ts'
import type { ByteRewriter } from './byte-rewriter.ts'
import { ClientReply, type ReplyTarget } from './client-reply.ts'
import { EventStreamBody } from './event-stream-body.ts'
import { createKeyRedactor } from './key-redactor.ts'
import { PlainBody } from './plain-body.ts'
import type { RelayBody, RelayBodyOptions } from './relay-body.ts'
import { StallTimer } from './stall-timer.ts'

/** How to relay a request. */
export interface RelayOptions {
  readonly upstream: PushUpstream
  readonly request: UpstreamRequest
  /** The wire format of client and upstream: usage and errors inside a stream are in it. */
  readonly provider: Provider
  /**
   * The client's reply; nothing of it may have been sent. Headers that were set on it are kept. When it closes early the
   * request upstream ends at once.
   */
  readonly outgoing: ReplyTarget
  /** Ends the request for other reasons. */
  readonly signal?: StopSignal | undefined
  readonly rewriter?: ByteRewriter | undefined
  /** The error as a client may see it inside a stream. @default as it is */
  readonly describe?: ((error: SvcError) => SvcError) | undefined
  /** Whether a reply with status 400 or above is thrown, without its body, in place of being sent on. @default false */
  readonly throwsRefusals?: boolean | undefined
  /** Milliseconds that a client may take no byte before the request is ended. @default 60000 */
  readonly stallMs?: number | undefined
}

/** How a reply went that was begun. */
export interface RelayOutcome {
  /** The upstream's, and what the client got. */
  readonly status: number
  /** The upstream's own figures, as many as had come; nothing where it gave none. */
  readonly usage: CompletionUsage | undefined
  /** Why the model stopped, where the format says so beside its figures: `refusal` for one. */
  readonly stopReason: string | undefined
  /** What ended the reply early, after its head was sent: the client has been told inside the stream, or was cut off. */
  readonly failure: SvcError | undefined
}

/**
 * Sends a request upstream and its reply to the client as it comes: status 400 and above unchanged (but for the
 * request's own key, should the upstream repeat it), streams event by event, everything else in one piece where it is small.
 *
 * A stream that is cut, or ends without the last event of its format, gets an error event and ends; events are passed on
 * whole. Of any other reply that is cut after its head was sent, the connection is cut too.
 *
 * @throws {SvcError} what goes wrong before the head is sent: `upstream_failed` (redirects too), `timeout`, `unavailable`,
 *   `cancelled`, and {@link UpstreamStatusError} with `throwsRefusals`; nothing has been written to the client then
 * @example
 * const outcome = await relay({ upstream, request, provider: 'provider_a', outgoing })
 */
export function relay(options: RelayOptions): Promise<RelayOutcome> {
  checkProvider(options.provider, 'relay')
  return new Promise((resolve, reject) => {
    new Relay(options, resolve, reject).begin()
  })
}

const EVENT_STREAM = /^text\/event-stream\s*(?:;|$)/i
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

class Relay implements UpstreamSink {
  readonly #options: RelayOptions
  readonly #resolve: (outcome: RelayOutcome) => void
  readonly #reject: (error: SvcError) => void
  readonly #reply: ClientReply
  readonly #stall: StallTimer
  #call: UpstreamCall | undefined
  #status = 0
  #body: RelayBody | undefined

  constructor(options: RelayOptions, resolve: (outcome: RelayOutcome) => void, reject: (error: SvcError) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    this.#reply = new ClientReply(options.outgoing)
    this.#stall = new StallTimer(this.#reply, options.stallMs)
  }

  begin(): void {
    const { upstream, request, signal, outgoing } = this.#options
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) this.#call?.abort(clientGone())
    })
    this.#call = upstream.start(request, this, { signal })
  }

  head(head: UpstreamHead): void {
    const { status } = head
    if (status >= 300 && status < 400) {
      this.#call?.abort(upstreamFailed('redirect'))
      return
    }
    if (status >= 400 && this.#options.throwsRefusals === true) {
      this.#call?.abort(new UpstreamStatusError(head, new Uint8Array()))
      return
    }
    this.#status = status
    this.#body = createRelayBody({
      head,
      headers: replyHeaders(head.headers),
      provider: this.#options.provider,
      rewriter: status >= 400 ? createKeyRedactor(this.#options.request) : this.#options.rewriter,
      reply: this.#reply,
    })
  }

  data(piece: BodyPiece, isLast: boolean): boolean {
    if (this.#body?.data(piece) !== false || isLast) return true
    this.#stall.start({
      onDrained: () => this.#call?.resume(),
      onStalled: (error) => this.#call?.abort(error),
    })
    return false
  }

  end(): void {
    const error = this.#body?.end()
    if (error === undefined) this.#settle(undefined)
    else this.fail(error)
  }

  fail(error: SvcError): void {
    this.#stall.stop()
    if (!this.#reply.hasStarted) {
      this.#reject(error)
      return
    }
    if (error.kind === 'cancelled') this.#reply.cut()
    else this.#body?.fail(this.#options.describe?.(error) ?? error)
    this.#settle(error)
  }

  #settle(failure: SvcError | undefined): void {
    const { usage, stopReason } = this.#body ?? {}
    this.#resolve({ status: this.#status, usage, stopReason, failure })
  }
}

function clientGone(): SvcError {
  return new SvcError('cancelled', 'the client closed the connection', { code: 'client_gone' })
}

/** Makes the body for a head. Encoded content is passed on as it is: nothing can be read or changed in it. */
function createRelayBody(options: RelayBodyOptions): RelayBody {
  const { headers, status } = options.head
  const type = headerOf(headers, 'content-type') ?? ''
  const coding = headerOf(headers, 'content-encoding') ?? 'identity'
  const isReadable = /^identity$/i.test(coding.trim())
  if (status < 300 && isReadable && EVENT_STREAM.test(type)) return new EventStreamBody(options)
  return new PlainBody(isReadable ? options : { ...options, rewriter: undefined }, {
    isReadable: isReadable && status < 300,
    isJson: JSON_TYPE.test(type),
  })
}
