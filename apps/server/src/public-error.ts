import { SvcError, toSvcError } from '@svc/errors'

/** The error that replaces all others for clients while `--opaque-errors` is on. */
export const OPAQUE_ERROR = new SvcError('internal', 'an error occurred')

/**
 * Converts anything thrown to the error that a client may see. Anything but an {@link SvcError} becomes a fixed
 * sentence.
 */
export function toPublicError(thrown: unknown): SvcError {
  const error = toSvcError(thrown)
  if (error.kind !== 'internal' || SvcError.is(thrown)) return error
  return new SvcError('internal', 'internal server error', { cause: error.cause ?? thrown })
}
