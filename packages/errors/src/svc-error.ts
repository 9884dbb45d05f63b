import type { ErrorKind } from './kinds.ts'

const BRAND = Symbol.for('svc.error')

/** Facts beside the message. `type` and `param` reach the client where its error format has a place for them. */
export interface SvcErrorDetails {
  /**
   * The error type word of the client's format, such as `rate_limit_error`.
   *
   * @default the format's own for the status
   */
  readonly type?: string | undefined
  /** The request field that is at fault, as a path such as `messages[2].content`. */
  readonly param?: string | undefined
  readonly [name: string]: unknown
}

/** Options of {@link SvcError}. */
export interface SvcErrorOptions {
  /** Stable snake_case word for programs. @default the kind */
  readonly code?: string | undefined
  /** The failure underneath; goes to the log, never to a client. */
  readonly cause?: unknown
  /** Time after which another try makes sense, in milliseconds from now. */
  readonly retryAfterMs?: number | undefined
  readonly details?: SvcErrorDetails | undefined
}

/**
 * The one class of everything thrown on purpose. Packages subclass it with a literal `name`.
 *
 * The message is written for the client: it holds no key, prompt, matched text, stack or absolute path.
 *
 * @example
 * throw new SvcError('not_found', 'model "x" not found', { code: 'model_not_found' })
 */
export class SvcError extends Error {
  override readonly name: string = 'SvcError'
  /** The kind of the failure. */
  readonly kind: ErrorKind
  /** Stable snake_case word for programs, such as `pii_blocked`. */
  readonly code: string
  /** Time after which another try makes sense, in milliseconds from the throw; absent when unknown. */
  readonly retryAfterMs: number | undefined
  readonly details: SvcErrorDetails | undefined

  static {
    // Set on the prototype under a registered symbol, so that duplicate copies of this package recognise each other's
    // errors.
    Object.defineProperty(SvcError.prototype, BRAND, { value: true })
  }

  constructor(kind: ErrorKind, message: string, options: SvcErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.kind = kind
    this.code = options.code ?? kind
    this.retryAfterMs = options.retryAfterMs
    this.details = options.details
  }

  /**
   * Converts anything thrown to a {@link SvcError}. A SvcError comes back as it is, an abort becomes `cancelled`.
   * Anything else becomes `internal`: the original is the cause, and the message reveals nothing of it.
   */
  static is(value: unknown): value is SvcError {
    return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true
  }
}

/**
 * The {@link SvcError} for anything thrown: itself when it is one, `cancelled` for an abort, else `internal`
 * with the original as cause and a message that says nothing of it.
 */
export function toSvcError(value: unknown): SvcError {
  if (SvcError.is(value)) return value
  if (value instanceof Error && value.name === 'AbortError') {
    return new SvcError('cancelled', 'the request was cancelled', { cause: value })
  }
  return new SvcError('internal', 'internal error', { cause: value })
}
