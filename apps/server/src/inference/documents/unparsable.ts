import { SvcError } from '@svc/errors'

/** The prefix of every refusal of a body (§7.1). */
const PARSE_PREFIX = 'failed parsing request body:'

/** Creates the refusal of a body that its route does not take. */
export function unparsable(detail: string, param?: string): SvcError {
  return new SvcError('invalid_request', `${PARSE_PREFIX} ${detail}`, {
    code: 'unparsable_body',
    details: { type: 'invalid_request_error', param },
  })
}
