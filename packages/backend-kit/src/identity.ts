import { SvcError } from '@svc/errors'

/**
 * Refuses a request that is meant for another model. Both names are `ModelOptions.Model` as the host wrote it, compared
 * byte for byte; an empty name matches all.
 *
 * @throws `model_identity_mismatch` (not_found), with the text that hosts look for
 */
export function assertModelIdentity(asked: string, loaded: string): void {
  if (asked === '' || loaded === '' || asked === loaded) return
  throw new SvcError('not_found', 'model identity mismatch', { code: 'model_identity_mismatch' })
}

/** The error of a call before a model is loaded. Hosts load again when they see it. */
export function modelNotLoaded(): SvcError {
  return new SvcError('precondition_failed', 'model not loaded', { code: 'model_not_loaded' })
}
