import { SvcError } from '@svc/errors'
import type { Attachment } from './attachment.ts'

type Place = Pick<Attachment, 'param'>

/** The refusal of a medium that is not what it should be. */
export function invalidMedia({ param }: Place, message: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, {
    code: 'invalid_media',
    details: { type: 'invalid_request_error', param },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The refusal of media that are too large, one or all together. */
export function mediaTooLarge({ param }: Place, maxBytes: number): SvcError {
  return new SvcError('too_large', `${param}: more than ${maxBytes} bytes`, {
    code: 'media_too_large',
    details: { type: 'invalid_request_error', param },
  })
}

/** What came of a fetch, for the client whose URL it was: it must not tell what exists on our side of the network. */
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
