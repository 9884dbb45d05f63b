import { SvcError } from '@svc/errors'

/** The error of a request that can never work. `param` is the field of the contract at fault. */
export function invalidRequest(message: string, param?: string): SvcError {
  return new SvcError('invalid_request', message, { details: { param } })
}

/** The error of a call on a model that is closing. */
export function modelUnloading(): SvcError {
  return new SvcError('unavailable', 'the model is being unloaded', { code: 'model_unloading' })
}
