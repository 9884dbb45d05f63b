import { SvcError } from '@svc/errors'

/** Everything this backend throws on purpose. */
export class OnnxError extends SvcError {
  override readonly name = 'OnnxError'
}

/** A request that can never work as it was sent. `param` is the field of the contract at fault. */
export function invalidRequest(message: string, param?: string): OnnxError {
  return new OnnxError('invalid_request', message, { details: { param } })
}

/** What this backend, or the model it has loaded, cannot do at all. */
export function notSupported(message: string): OnnxError {
  return new OnnxError('not_implemented', message)
}

/** A model folder that cannot be used. The message names the file at fault and never its folder. */
export function badModel(message: string, cause?: unknown): OnnxError {
  return new OnnxError('unprocessable', message, { code: 'bad_model_file', cause })
}
