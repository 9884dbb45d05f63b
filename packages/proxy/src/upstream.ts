/** One header as it goes over the wire; names in lower case. */
export type Header = readonly [name: string, value: string]

/** A request to an upstream. Its headers are complete: nothing of a client's is added to them. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Absolute, http or https. */
  readonly url: URL
  readonly headers: readonly Header[]
  readonly body?: Uint8Array | undefined
  /** Milliseconds until the whole reply must be there; absent for streams, whose headers are bounded all the same. */
  readonly timeoutMs?: number | undefined
}

/** What an upstream answered: any status, redirects included, which are never followed. */
export interface UpstreamReply {
  readonly status: number
  readonly headers: readonly Header[]
  /**
   * The body as it arrives; pulling slowly slows the upstream, leaving the iteration early ends the request.
   *
   * @throws {SvcError} `upstream_failed` when the connection ends before the body does
   */
  readonly body: AsyncIterable<Uint8Array>
}

/** Sends requests upstream. */
export interface Upstream {
  /**
   * @throws {SvcError} `upstream_failed` where there is no reply, `timeout` past a time limit, `cancelled` by the signal
   */
  send(request: UpstreamRequest, options: { readonly signal: AbortSignal }): Promise<UpstreamReply>
}

/** Reads what a configuration only names: environment variables and files that hold keys. */
export interface SecretReader {
  variable(name: string): string | undefined
  /** @throws when the file cannot be read */
  file(path: string): Promise<string>
}

/** The wire format of an upstream: chat completions or messages. */
export type Provider = 'provider_a' | 'provider_b'
