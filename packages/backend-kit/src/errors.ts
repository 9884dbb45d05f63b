import { SvcError } from '@svc/errors'

/** A request that can never work as it was sent. `param` is the field of the contract at fault. */
export function invalidRequest(message: string, param?: string): SvcError {
  return new SvcError('invalid_request', message, { details: { param } })
}

/** The failure of what a model is asked while it goes away. */
export function modelUnloading(): SvcError {
  return new SvcError('unavailable', 'the model is being unloaded', { code: 'model_unloading' })
}
