import { SvcError } from '@svc/errors'
import { toStatus } from '../../http/error-map.ts'

/** Codes of failures that do not concern the model; their message is fixed. */
const SPEAKS_FOR_ITSELF: ReadonlySet<string> = new Set(['internal', 'stage_order', 'upstream_status'])
const PREFIX = /^(?:prediction|model inference) failed/

/**
 * Words a failure as the messages and responses formats do (§7.3): `model inference failed:` when the model could not
 * be loaded, `prediction failed:` when it did not answer. Only errors with status 500 change.
 */
export function toModelFailure(error: SvcError): SvcError {
  if (toStatus(error) !== 500 || SPEAKS_FOR_ITSELF.has(error.code) || PREFIX.test(error.message)) return error
  const what = error.code === 'model_load_failed' ? 'model inference' : 'prediction'
  const { kind, code, retryAfterMs, details, cause } = error
  return new SvcError(kind, `${what} failed: ${error.message}`, { code, retryAfterMs, details, cause })
}
