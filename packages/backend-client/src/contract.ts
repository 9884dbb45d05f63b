/** Largest message in either direction, in bytes; gRPC's own default is 4 MiB. */
export const MAX_MESSAGE_BYTES = 50 * 1024 * 1024

/**
 * Trailing metadata in which a backend of ours tells the exact failure, because several kinds share one gRPC status.
 * Backends of others do not send them.
 */
export const ERROR_TRAILERS = {
  /** An error kind of `@svc/errors`. */
  kind: 'svc-error-kind',
  /** A stable snake_case word. */
  code: 'svc-error-code',
  /** Milliseconds after which trying again makes sense. */
  retryAfterMs: 'svc-retry-after-ms',
} as const

/**
 * Trailing metadata in which a backend of ours says more of an answer than the messages of the contract can. Backends
 * of others do not send them.
 */
export const ANSWER_TRAILERS = {
  /** Place in `StopPrompts`, from 0, of the text at which a prediction ended. */
  stop: 'svc-stop-index',
  /** The reason why a prediction ended, in the words of the compatible format; without it the host finds it out. */
  finish: 'svc-finish-reason',
  /** Tokens of the prompt that came from a cache. */
  cachedTokens: 'svc-cached-tokens',
  /** Tokens of the prompt that the engine remembered by itself and did not evaluate; no cache of a provider. */
  reusedTokens: 'svc-reused-tokens',
  /** Tokens of the prompt that were written to a cache. */
  cacheWriteTokens: 'svc-cache-write-tokens',
  /** Tokens of the answer that were thoughts. */
  reasoningTokens: 'svc-reasoning-tokens',
} as const
