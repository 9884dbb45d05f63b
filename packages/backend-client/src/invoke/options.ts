/** Options of every call. */
export interface CallOptions {
  /** Aborting it cancels the call and rejects at once. */
  readonly signal?: AbortSignal | undefined
  /** Time for the whole call, streams included, in milliseconds. @default unlimited */
  readonly timeoutMs?: number | undefined
  /** Further metadata of the call. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /**
   * Takes the text of the trailing metadata of a call that succeeded, before the promise of its reply settles or its
   * stream ends.
   */
  readonly onTrailers?: ((trailers: Readonly<Record<string, string>>) => void) | undefined
}

/** Options of a stream. */
export interface StreamOptions extends CallOptions {
  /** Longest wait for the next reply while the caller is waiting for one, in milliseconds. @default unlimited */
  readonly idleTimeoutMs?: number | undefined
}
