import { SvcError } from '@svc/errors'
import type {
  BodyPiece,
  Header,
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
import { selectReplyHeaders } from '../headers.ts'
import type { Provider } from '../ports.ts'
import { findHeader, UpstreamStatusError } from '../upstream-error.ts'
import type { ByteRewriter } from './byte-rewriter.ts'
import { ClientReply, type ReplyTarget } from './client-reply.ts'
import { EventStreamBody } from './event-stream-body.ts'
import { createKeyRedactor } from './key-redactor.ts'
import { PassingBody } from './passing-body.ts'
import { PlainBody } from './plain-body.ts'
import type { RelayBody, RelayBodyOptions } from './relay-body.ts'
import { StallTimer } from './stall-timer.ts'

/** Options of {@link relay}. */
export interface RelayOptions {
  readonly upstream: PushUpstream
  readonly request: UpstreamRequest
  /** The wire format of client and upstream, for usage and errors inside a stream. */
  readonly provider: Provider
  /**
   * The client's reply, before anything was sent. Its headers are kept. When it closes early, the upstream request ends
   * at once.
   */
  readonly outgoing: ReplyTarget
  /** Headers for the client in addition to the upstream's. */
  readonly headers?: readonly Header[] | undefined
  /** Ends the request for other reasons. */
  readonly signal?: StopSignal | undefined
  readonly rewriter?: ByteRewriter | undefined
  /** Whether the figures go out of streams: the request asks for them, and the client did not. @default false */
  readonly stripsUsage?: boolean | undefined
  /** Converts the error for a client inside a stream. @default unchanged */
  readonly describe?: ((error: SvcError) => SvcError) | undefined
  /** Whether a reply with status 400 or above is thrown, without its body, instead of being sent. @default false */
  readonly throwsRefusals?: boolean | ((status: number) => boolean) | undefined
  /**
   * Whether everything but JSON passes byte for byte as it comes: for formats whose streams are not those of a provider.
   *
   * @default false
   */
  readonly passesStreams?: boolean | undefined
  /** Milliseconds without progress of the client after which the request ends. @default 60000 */
  readonly stallMs?: number | undefined
}

/** The outcome of a reply that was begun. */
export interface RelayOutcome {
  /** Status of the upstream, sent to the client. */
  readonly status: number
  /** The upstream's own figures received so far; undefined without any. */
  readonly usage: CompletionUsage | undefined
  /** Bytes of the answer that the upstream has sent, as they are written. */
  readonly answerBytes: number
  /** Bytes of `answerBytes` after the last of its figures: `usage` does not count them. */
  readonly uncountedBytes: number
  /** The model's stop reason, in formats that carry it beside their figures, such as `refusal`. */
  readonly stopReason: string | undefined
  /**
   * The error that ended the reply early, after its head was sent. The client has seen it inside the stream, or its
   * connection was cut.
   */
  readonly failure: SvcError | undefined
}

/**
 * Sends a request upstream and relays its reply to the client. Status 400 and above pass unchanged, except that the
 * request's own key is redacted. Streams pass event by event; a small body passes in one piece.
 *
 * A stream that is cut, or ends without the last event of its format, gets an error event and ends; events pass whole.
 * When any other reply is cut after its head was sent, the client's connection is cut too.
 *
 * @throws {SvcError} failures before the head is sent: `upstream_failed` (redirects too), `timeout`, `unavailable`,
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
    if (status >= 400 && isThrown(status, this.#options)) {
      this.#call?.abort(new UpstreamStatusError(head, new Uint8Array()))
      return
    }
    this.#status = status
    this.#body = createRelayBody(this.#options, {
      head,
      headers: joinHeaders(this.#options.headers ?? [], selectReplyHeaders(head.headers)),
      provider: this.#options.provider,
      rewriter: status >= 400 ? createKeyRedactor(this.#options.request) : this.#options.rewriter,
      stripsUsage: this.#options.stripsUsage === true,
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
    const { usage, stopReason, answer } = this.#body ?? {}
    this.#resolve({
      status: this.#status,
      usage,
      answerBytes: answer?.bytes ?? 0,
      uncountedBytes: answer?.uncounted ?? 0,
      stopReason,
      failure,
    })
  }
}

function isThrown(status: number, { throwsRefusals = false }: RelayOptions): boolean {
  return typeof throwsRefusals === 'function' ? throwsRefusals(status) : throwsRefusals
}

function clientGone(): SvcError {
  return new SvcError('cancelled', 'the client closed the connection', { code: 'client_gone' })
}

/** Creates the body for a head. Encoded content passes as it is: it can be neither read nor changed. */
function createRelayBody({ passesStreams }: RelayOptions, options: RelayBodyOptions): RelayBody {
  const { headers, status } = options.head
  const type = findHeader(headers, 'content-type') ?? ''
  const coding = findHeader(headers, 'content-encoding') ?? 'identity'
  const isReadable = /^identity$/i.test(coding.trim())
  if (passesStreams === true && status < 300 && options.rewriter === undefined && !JSON_TYPE.test(type))
    return new PassingBody(options)
  if (status < 300 && isReadable && EVENT_STREAM.test(type)) return new EventStreamBody(options)
  return new PlainBody(isReadable ? options : { ...options, rewriter: undefined }, {
    isReadable: isReadable && status < 300,
    isJson: JSON_TYPE.test(type),
  })
}

/** The headers of a reply. What this server says of itself stands in place of what the upstream says of itself. */
function joinHeaders(own: readonly Header[], upstream: readonly Header[]): readonly Header[] {
  if (own.length === 0) return upstream
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  return [...own, ...upstream.filter(([name]) => !names.has(name.toLowerCase()))]
}
