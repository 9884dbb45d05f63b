import { SvcError, type SvcErrorOptions } from '@svc/errors'

/** The class of expected errors of this backend. */
export class LlamaError extends SvcError {
  override readonly name = 'LlamaError'
}

/**
 * Refusal of a model file that must not reach the engine, because its header is damaged or contradicts the file. The
 * message names the fault and never the path.
 */
export class ModelFileError extends SvcError {
  override readonly name = 'ModelFileError'

  constructor(message: string, options: Pick<SvcErrorOptions, 'cause'> = {}) {
    super('unprocessable', message, { ...options, code: 'bad_model_file' })
  }
}

/** The error of a request that can never work. `param` is the field of the contract at fault. */
export function invalidRequest(message: string, param?: string): LlamaError {
  return new LlamaError('invalid_request', message, { details: { param } })
}

/** The error for features that this backend, or the loaded model, lacks. */
export function notSupported(message: string): LlamaError {
  return new LlamaError('not_implemented', message)
}
