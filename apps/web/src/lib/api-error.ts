/** A reply of the server that reports a failure, or a request that got no reply. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Status of the reply; 0 without a reply. */
  readonly status: number
  /** The stable code of the failure, such as `pii_blocked`, where the reply names one. */
  readonly code: string | undefined
  /** Joins this request with its trace, its log lines and its events. */
  readonly correlationId: string | undefined
  /** Pause that the server asks for before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The whole body, as it was read. */
  readonly body: unknown

  constructor(message: string, details: Partial<Omit<ApiError, 'message'>> & { cause?: unknown } = {}) {
    super(message, { cause: details.cause })
    this.status = details.status ?? 0
    this.code = details.code
    this.correlationId = details.correlationId
    this.retryAfterMs = details.retryAfterMs
    this.body = details.body
  }
}

/** Reads a failed reply. It knows the envelope `{error: {message, code}}`, the flat `{error: "text"}` and `{message}`. */
export function readFailure(response: Response, body: unknown): ApiError {
  const fields = isRecord(body) ? body : {}
  const inner = isRecord(fields.error) ? fields.error : undefined
  const text = inner?.message ?? fields.error ?? fields.message
  const code = inner?.code ?? fields.code
  return new ApiError(typeof text === 'string' && text !== '' ? text : `${response.status} ${response.statusText}`, {
    status: response.status,
    code: typeof code === 'string' ? code : undefined,
    correlationId: response.headers.get('x-correlation-id') ?? undefined,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
    body,
  })
}

/** Longest pause that is believed: ten years, which dates can still hold. */
const MAX_PAUSE_MS = 10 * 366 * 86_400_000

/** The pause that a reply asks for, in milliseconds. The header has seconds, or a date. */
export function readRetryAfter(text: string | null, now = Date.now()): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const seconds = Number(text)
  const pauseMs = Number.isNaN(seconds) ? Date.parse(text) - now : seconds * 1000
  return Number.isNaN(pauseMs) ? undefined : Math.min(Math.max(0, pauseMs), MAX_PAUSE_MS)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
