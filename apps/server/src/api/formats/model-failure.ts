import { SvcError } from '@svc/errors'
import { statusOf } from '../../http/error-map.ts'

/** Failures that say nothing of a model: their text is fixed. */
const SPEAKS_FOR_ITSELF: ReadonlySet<string> = new Set(['internal', 'stage_order', 'upstream_status'])
const PREFIX = /^(?:prediction|model inference) failed/

/**
 * A failure as the messages and responses formats word it (§7.3): `model inference failed:` where the model could not
 * be made ready, `prediction failed:` where it did not answer. Anything that is no 500 stays as it is.
 */
export function toModelFailure(error: SvcError): SvcError {
  if (statusOf(error) !== 500 || SPEAKS_FOR_ITSELF.has(error.code) || PREFIX.test(error.message)) return error
  const what = error.code === 'model_load_failed' ? 'model inference' : 'prediction'
  const { kind, code, retryAfterMs, details, cause } = error
  return new SvcError(kind, `${what} failed: ${error.message}`, { code, retryAfterMs, details, cause })
}
