import { SvcError } from '@svc/errors'
import type { Attachment } from './attachment.ts'

type Place = Pick<Attachment, 'param'>

/** Creates the refusal of a medium whose content does not fit its place. */
export function invalidMedia({ param }: Place, message: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, {
    code: 'invalid_media',
    details: { type: 'invalid_request_error', param },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Creates the refusal of media that are too large, by itself or all together. */
export function mediaTooLarge({ param }: Place, maxBytes: number): SvcError {
  return new SvcError('too_large', `${param}: more than ${maxBytes} bytes`, {
    code: 'media_too_large',
    details: { type: 'invalid_request_error', param },
  })
}

/**
 * Converts a failed fetch to an error for the client that named the URL. The error must not reveal anything about our
 * side of the network.
 */
export function toMediaFailure(error: unknown, place: Place): unknown {
  if (!SvcError.is(error)) return error
  switch (error.code) {
    case 'url_not_allowed':
      return invalidMedia(place, error.message, error)
    case 'fetch_failed':
    case 'fetch_timeout':
      return invalidMedia(place, 'the URL could not be fetched', error)
    default:
      return error
  }
}
