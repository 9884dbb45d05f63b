import type { SvcError } from '@svc/errors'

/** One header as it goes over the wire; names in lower case. */
export type Header = readonly [name: string, value: string]

/** A request to an upstream. Its headers are complete: nothing of a client's is added to them. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** Absolute, http or https, without user name and password. */
  readonly url: URL
  /** `host`, `content-length`, `connection` and `transfer-encoding` are not among them: the upstream's client sets those. */
  readonly headers: readonly Header[]
  readonly body?: Uint8Array | undefined
  /** Milliseconds until the whole reply must be there; absent for streams, whose headers are bounded all the same. */
  readonly timeoutMs?: number | undefined
}

/** Status and headers of a reply: any status, redirects included, which are never followed. */
export interface UpstreamHead {
  /** 200..599. */
  readonly status: number
  /** Names in lower case, repeated ones included, without those of the connection. */
  readonly headers: readonly Header[]
  /** Bytes of the body where the upstream announced them. */
  readonly lengthBytes: number | undefined
  /** Whether only the end of the connection ends the body, so that a cut looks like its end. */
  readonly endsWithConnection: boolean
}

/** What an upstream answered. */
export interface UpstreamReply extends UpstreamHead {
  /**
   * The body as it arrives; pulling slowly slows the upstream, leaving the iteration early ends the request.
   *
   * @throws {SvcError} `upstream_failed` when the connection ends before the body does
   */
  readonly body: AsyncIterable<Uint8Array>
}

/** A piece of a body, readable only while it is handed over. It is not empty. */
export interface BodyPiece {
  /** Each byte as one character. */
  toLatin1(): string
  /** A copy. */
  toBuffer(): Buffer
}

/**
 * Takes a reply as it arrives, without a promise for each piece. The order is `head`, any `data`, `end`; or `fail` at any
 * point before `end`, and nothing after it.
 */
export interface UpstreamSink {
  head(head: UpstreamHead): void
  /**
   * @param isLast whether `end` follows at once
   * @returns false to be given no more until {@link UpstreamCall.resume}
   */
  data(piece: BodyPiece, isLast: boolean): boolean
  end(): void
  /** @param error `upstream_failed`, `timeout`, `unavailable` or `cancelled` */
  fail(error: SvcError): void
}

/** A request under way whose reply goes to a {@link UpstreamSink}. */
export interface UpstreamCall {
  /** Lets the upstream go on after `data` returned false. */
  resume(): void
  /** Ends the request and its connection; `fail` is called with the reason unless the reply was complete. */
  abort(reason?: unknown): void
}

/** Sends requests upstream. */
export interface Upstream {
  /**
   * @throws {SvcError} `upstream_failed` where there is no reply, `timeout` past a time limit, `cancelled` by the signal
   */
  send(request: UpstreamRequest, options: { readonly signal: AbortSignal }): Promise<UpstreamReply>
}

/**
 * What ends a request early: an `AbortSignal`, or something lighter that acts like one. A listener on an `AbortSignal`
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
   * Sends a request whose reply goes to a sink, which may be called before this returns only with `fail`.
   *
   * @param options without a signal {@link UpstreamCall.abort} is the way to end the request
   */
  start(
    request: UpstreamRequest,
    sink: UpstreamSink,
    options?: { readonly signal?: StopSignal | undefined },
  ): UpstreamCall
}
