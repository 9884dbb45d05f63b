import { SvcError, type SvcErrorOptions } from '@svc/errors'

/** Everything this backend throws on purpose. */
export class LlamaError extends SvcError {
  override readonly name = 'LlamaError'
}

/**
 * A model file that must not reach the engine, because its header is damaged or lies.
 * The message names the fault and never the path.
 */
export class ModelFileError extends SvcError {
  override readonly name = 'ModelFileError'

  constructor(message: string, options: Pick<SvcErrorOptions, 'cause'> = {}) {
    super('unprocessable', message, { ...options, code: 'bad_model_file' })
  }
}

/** A request that can never work as it was sent. `param` is the field of the contract at fault. */
export function invalidRequest(message: string, param?: string): LlamaError {
  return new LlamaError('invalid_request', message, { details: { param } })
}

/** What this backend, or the model it has loaded, cannot do at all. */
export function notSupported(message: string): LlamaError {
  return new LlamaError('not_implemented', message)
}
