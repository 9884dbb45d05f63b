import { SvcError } from '@svc/errors'

/**
 * The refusal of a request that no route serves: 405 where the path has other methods, else 404.
 *
 * @param methods the methods of the path
 */
export function nothingHere(method: string | undefined, methods: readonly string[]): SvcError {
  if (methods.length === 0) return new SvcError('not_found', 'Resource not found', { details: { type: '' } })
  const allow = methods.join(', ')
  return new SvcError('method_not_allowed', `${method} is not allowed here; allowed: ${allow}`, { details: { allow } })
}

/** The value of the `Allow` header of an error; undefined for errors without one. */
export function readAllowedMethods({ kind, details }: SvcError): string | undefined {
  return kind === 'method_not_allowed' && typeof details?.allow === 'string' ? details.allow : undefined
}
