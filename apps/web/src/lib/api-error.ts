/** A reply of the server that reports a failure, or a request that got no reply. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Status of the reply; 0 when there was none. */
  readonly status: number
  /** The stable code of the failure, such as `pii_blocked`, where the reply names one. */
  readonly code: string | undefined
  /** Joins this request with its trace, its log lines and its events. */
  readonly correlationId: string | undefined
  /** When the server asks for a pause before the next try, in milliseconds. */
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
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(typeof text === 'string' && text !== '' ? text : `${response.status} ${response.statusText}`, {
    status: response.status,
    code: typeof code === 'string' ? code : undefined,
    correlationId: response.headers.get('x-correlation-id') ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
    body,
  })
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
