import { SvcError } from '@svc/errors'

/** The refusal of settings: `pii_config`, kind `invalid_request`. */
export function configError(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'pii_config' })
}
