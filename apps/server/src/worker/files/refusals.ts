import { SvcError } from '@svc/errors'

export const badRequest = (message: string, code = 'bad_file_request'): SvcError =>
  new SvcError('invalid_request', message, { code })

export const notFound = (): SvcError => new SvcError('not_found', 'not found', { code: 'file_not_found' })

export const tooLarge = (message: string): SvcError => new SvcError('too_large', message, { code: 'file_too_large' })

export const stagingFull = (): SvcError =>
  new SvcError('insufficient_storage', 'the staging folder is full', { code: 'staging_full' })
