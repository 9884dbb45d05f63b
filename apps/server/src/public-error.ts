import { SvcError, toSvcError } from '@svc/errors'

/** The error that clients are shown in place of every other while `--opaque-errors` is on. */
export const OPAQUE_ERROR = new SvcError('internal', 'an error occurred')

/** Turns anything thrown into the error a client may see. Anything but an {@link SvcError} becomes a fixed sentence. */
export function toPublicError(thrown: unknown): SvcError {
  const error = toSvcError(thrown)
  if (error.kind !== 'internal' || SvcError.is(thrown)) return error
  return new SvcError('internal', 'internal server error', { cause: error.cause ?? thrown })
}
