import { SvcError } from '@svc/errors'

/** The class of expected errors of this backend. */
export class OnnxError extends SvcError {
  override readonly name = 'OnnxError'
}

/** The error of a request that can never work. `param` is the field of the contract at fault. */
export function invalidRequest(message: string, param?: string): OnnxError {
  return new OnnxError('invalid_request', message, { details: { param } })
}

/** The error for features that this backend, or the loaded model, lacks. */
export function notSupported(message: string): OnnxError {
  return new OnnxError('not_implemented', message)
}

/** The error of an unusable model folder. The message names the file at fault and never its folder. */
export function badModel(message: string, cause?: unknown): OnnxError {
  return new OnnxError('unprocessable', message, { code: 'bad_model_file', cause })
}
