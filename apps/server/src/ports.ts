/** Facts beside a constant message; a pino child satisfies {@link Logger}. */
export type LogFields = Readonly<Record<string, unknown>>

/** Where modules write their log lines: fields first, then a constant lower-case phrase. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** Time as modules see it, so that tests can own it. */
export interface Clock {
  /** Wall time, milliseconds since the epoch, UTC. For what is shown or stored. */
  now(): number
  /** Milliseconds from an arbitrary start that never jump. For waits, limits and cooldowns. */
  monotonic(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Told of an end. */
export type EndListener = (() => void) | { handleEvent(): void }

/** What ends work early: an `AbortSignal`, or something lighter that can be listened to like one. */
export interface Ending {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: EndListener, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: EndListener): void
}
