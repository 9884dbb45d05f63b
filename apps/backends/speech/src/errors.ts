import { SvcError } from '@svc/errors'

/** The class of expected errors of this backend. */
export class SpeechError extends SvcError {
  override readonly name = 'SpeechError'
}

/** The error of a request that can never work. `param` is the field of the contract at fault. */
export function invalidRequest(message: string, param?: string): SpeechError {
  return new SpeechError('invalid_request', message, { details: { param } })
}

/** The error for features that this backend, or the loaded model, lacks. */
export function notSupported(message: string): SpeechError {
  return new SpeechError('not_implemented', message)
}

/** The error of an unusable model file. The message names the file at fault and never its folder. */
export function badModel(message: string, cause?: unknown): SpeechError {
  return new SpeechError('unprocessable', message, { code: 'bad_model_file', cause })
}
