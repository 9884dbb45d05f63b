import { PiiError } from '../errors.ts'

/** The error of an unusable model folder. The message names the file at fault and never its folder. */
export function badModel(message: string, cause?: unknown): PiiError {
  return new PiiError('unprocessable', message, { code: 'bad_model_file', cause })
}

/** The error of a model that contradicts its own files. */
export function modelFailed(message: string): PiiError {
  return new PiiError('internal', message, { code: 'model_failed' })
}
