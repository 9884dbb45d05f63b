import { SvcError } from '@svc/errors'

/** Creates the refusal of entries for which the stores have no room. */
export function storesFull(reason: string): SvcError {
  return new SvcError('insufficient_storage', `the vector stores are full: ${reason}`, { code: 'stores_full' })
}

/** Creates the refusal of a request whose reply would be too large. */
export function replyTooLarge(cause: SvcError): SvcError {
  return new SvcError('too_large', `${cause.message}; ask for fewer`, { code: 'reply_too_large', cause })
}

/** Creates the refusal of a change while too many wait for the disk. */
export function storesBusy(): SvcError {
  return new SvcError('rate_limited', 'too many changes of vector stores wait for the disk', {
    code: 'stores_busy',
    retryAfterMs: 1000,
  })
}
