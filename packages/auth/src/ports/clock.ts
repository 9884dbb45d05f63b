/** Time as the library sees it, so that tests can own it. */
export interface Clock {
  /** Wall time, milliseconds since the epoch, UTC. For times that are stored or shown. */
  now(): number
  /** Milliseconds from an arbitrary start that never jump. For limits and caches. */
  monotonic(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Ends a call of a port. */
export interface CallOptions {
  readonly signal: AbortSignal
}

/** Receives the log lines of the library: fields first, then a constant phrase. A pino child satisfies it. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
