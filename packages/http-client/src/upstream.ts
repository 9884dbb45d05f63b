import type { SvcError } from '@svc/errors'

/** One header as it goes over the wire; names in lower case. */
export type Header = readonly [name: string, value: string]

/** A request to an upstream. Its headers are complete: the client does not add any. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** Absolute, http or https, without user name and password. */
  readonly url: URL
  /** Without `host`, `content-length`, `connection` and `transfer-encoding`, which the HTTP client sets. */
  readonly headers: readonly Header[]
  readonly body?: Uint8Array | undefined
  /** Limit for the whole reply in milliseconds; absent for streams, whose headers have a limit of their own. */
  readonly timeoutMs?: number | undefined
}

/** Status and headers of a reply: any status, redirects included; the client never follows them. */
export interface UpstreamHead {
  /** 200..599. */
  readonly status: number
  /** Names in lower case, repeated ones included, without connection headers. */
  readonly headers: readonly Header[]
  /** Bytes of the body where the upstream announced them. */
  readonly lengthBytes: number | undefined
  /** Whether only the end of the connection ends the body, so that a cut looks like a regular end. */
  readonly endsWithConnection: boolean
}

/** The reply of an upstream. */
export interface UpstreamReply extends UpstreamHead {
  /**
   * The body as it arrives; pulling slowly slows the upstream, leaving the iteration early ends the request.
   *
   * @throws {SvcError} `upstream_failed` when the connection ends before the body does
   */
  readonly body: AsyncIterable<Uint8Array>
}

/** A piece of a body, readable only during the call. It is not empty. */
export interface BodyPiece {
  /** Converts each byte to one character. */
  toLatin1(): string
  /** Copies the piece. */
  toBuffer(): Buffer
}

/**
 * Takes a reply as it arrives, without a promise for each piece. The order is `head`, any `data`, `end`; or `fail` at
 * any point before `end`, and nothing after it.
 */
export interface UpstreamSink {
  head(head: UpstreamHead): void
  /** @param isLast whether `end` follows at once @returns false to pause until {@link UpstreamCall.resume} */
  data(piece: BodyPiece, isLast: boolean): boolean
  end(): void
  /** @param error `upstream_failed`, `timeout`, `unavailable` or `cancelled` */
  fail(error: SvcError): void
}

/** A running request whose reply goes to an {@link UpstreamSink}. */
export interface UpstreamCall {
  /** Resumes the reply after `data` returned false. */
  resume(): void
  /** Ends the request and its connection; `fail` is called with the reason unless the reply was complete. */
  abort(reason?: unknown): void
}

/** Sends requests upstream. */
export interface Upstream {
  /**
   * @throws {SvcError} `upstream_failed` where there is no reply, `timeout` past a time limit, `cancelled` by the
   *   signal
   */
  send(request: UpstreamRequest, options: { readonly signal: AbortSignal }): Promise<UpstreamReply>
}

/**
 * Ends a request early: an `AbortSignal`, or a lighter object with the same members. A listener on an `AbortSignal`
 * costs as much as the rest of a call.
 */
export interface StopSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void
}

/** An upstream that also pushes, for the hot path. */
export interface PushUpstream extends Upstream {
  /**
   * Sends a request whose reply goes to a sink. Before this returns, the sink is called only with `fail`.
   *
   * @param options without a signal, {@link UpstreamCall.abort} is the way to end the request
   */
  start(
    request: UpstreamRequest,
    sink: UpstreamSink,
    options?: { readonly signal?: StopSignal | undefined },
  ): UpstreamCall
}
