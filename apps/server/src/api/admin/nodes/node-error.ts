import { SvcError } from '@svc/errors'

/** Errors of the routes of workers have one type. */
export function asNodeError(error: SvcError): SvcError {
  if (error.details?.type === 'node_error') return error
  return new SvcError(error.kind, error.message, {
    code: error.code,
    details: { ...error.details, type: 'node_error' },
    cause: error,
  })
}
