/** Facts beside a constant message; a pino child satisfies {@link Logger}. */
export type LogFields = Readonly<Record<string, unknown>>

/** Target of modules' log lines: fields first, then a constant lower-case phrase. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** A value, or a promise of a part that waits. Ten promises would cost more than most stages of a request. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Time for modules, replaceable in tests. */
export interface Clock {
  /** Wall time, milliseconds since the epoch, UTC. Use it for shown or stored times. */
  now(): number
  /** Milliseconds from an arbitrary start that never jump. Use it for waits, limits and cooldowns. */
  monotonic(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Listener of an abort. */
export type AbortListener = (() => void) | { handleEvent(): void }

/** Ends work early: an `AbortSignal`, or a lighter object with the same listeners. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: AbortListener, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: AbortListener): void
}
