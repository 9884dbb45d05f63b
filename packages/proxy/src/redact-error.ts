import { SvcError } from '@svc/errors'
import { redact } from './quote.ts'
import { UpstreamStatusError } from './upstream-error.ts'

/** Redacts the key in an error of the upstream that was called with it; all other bytes stay. */
export function redactError(error: unknown, secrets: readonly string[]): unknown {
  if (error instanceof UpstreamStatusError) return redactBody(error, secrets)
  if (!SvcError.is(error) || !secrets.some((secret) => error.message.includes(secret))) return error
  const { kind, code, retryAfterMs, details, cause } = error
  return new SvcError(kind, redact(error.message, secrets), { code, retryAfterMs, details, cause })
}

function redactBody(error: UpstreamStatusError, secrets: readonly string[]): UpstreamStatusError {
  const bytes = Buffer.from(error.body.buffer, error.body.byteOffset, error.body.byteLength)
  if (!secrets.some((secret) => bytes.includes(secret))) return error
  // One character a byte: only the key changes, in any encoding.
  const body = Buffer.from(redact(bytes.toString('latin1'), secrets), 'latin1')
  const type = error.contentType === undefined ? [] : [['content-type', error.contentType] as const]
  return new UpstreamStatusError({ status: error.status, headers: [...error.headers, ...type] }, body)
}
