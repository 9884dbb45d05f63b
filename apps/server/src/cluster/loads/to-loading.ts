import { SvcError } from '@svc/errors'
import { type RunningLoad, toLoadObject } from '../contract/load-object.ts'

/** Delay after which a request that waited too long may come again, milliseconds. */
const RETRY_MS = 2000

/** The error of a request that has waited too long for a load. */
export function loadGoesOn(load: RunningLoad): SvcError {
  return new SvcError('unavailable', `model "${load.model}" is still loading`, {
    code: 'model_loading',
    retryAfterMs: RETRY_MS,
    details: { type: 'model_loading', loading: toLoadObject(load) },
  })
}
