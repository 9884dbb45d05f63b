import { SvcError, toSvcError } from '@svc/errors'

/** Anything thrown as the error a client may see; what is no {@link SvcError} becomes a fixed sentence. */
export function toPublicError(thrown: unknown): SvcError {
  const error = toSvcError(thrown)
  if (error.kind !== 'internal' || SvcError.is(thrown)) return error
  return new SvcError('internal', 'internal server error', { cause: error.cause ?? thrown })
}
