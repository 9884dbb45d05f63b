import { SvcError } from '@svc/errors'

/** Codes of failures after the model was loaded. */
const PREDICTION_CODES: ReadonlySet<string> = new Set(['prediction_failed', 'backend_stopped', 'answer_form_mismatch'])
/** Codes of models that could not be loaded. */
const MODEL_CODES: ReadonlySet<string> = new Set(['model_load_failed', 'model_stopped', 'process_limit'])

/** Creates the refusal of input that cannot be read (§7.3). */
export function unreadableInput(detail: string, param = 'input'): SvcError {
  return new SvcError('invalid_request', `failed to parse input: ${detail}`, {
    code: 'unparsable_input',
    details: { type: 'invalid_request', param },
  })
}

/** Creates the refusal of a part that no local model takes. */
export function unsupported(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, { code: 'unsupported_field', details: { param } })
}

/** Words the errors of the pipeline as the responses format does (§7.3). */
export function toResponsesError(error: SvcError): SvcError {
  if (error.code === 'model_not_found') {
    return new SvcError('invalid_request', 'model configuration not found', {
      code: 'unknown_model',
      details: { type: 'invalid_request', param: 'model' },
      cause: error,
    })
  }
  if (error.kind === 'internal' && PREDICTION_CODES.has(error.code)) return modelError(error, 'prediction failed')
  if (error.kind === 'internal' && MODEL_CODES.has(error.code)) return modelError(error, 'model inference failed')
  if (error.code !== 'unparsable_body') return error
  const details = { ...error.details, type: 'invalid_request' }
  return new SvcError(error.kind, error.message, { code: error.code, details, cause: error })
}

/** Words the errors of reading events (§7.3). */
export function toEventsError(error: SvcError): SvcError {
  if (error.kind !== 'internal') return error
  return new SvcError('internal', `failed to get events: ${error.message}`, {
    code: error.code,
    details: { ...error.details, type: 'server_error' },
    cause: error,
  })
}

function modelError(error: SvcError, words: string): SvcError {
  const message = error.message.startsWith(words) ? error.message : `${words}: ${error.message}`
  return new SvcError('internal', message, {
    code: error.code,
    details: { ...error.details, type: 'model_error' },
    cause: error,
  })
}

/** The refusal of a call that names no response (§7.3). */
export function idRequired(): SvcError {
  return badRequest('response ID is required', 'id')
}

/** Creates the refusal of a parameter. */
export function badRequest(message: string, param: string): SvcError {
  return new SvcError('invalid_request', message, {
    code: 'bad_request',
    details: { type: 'invalid_request_error', param },
  })
}
