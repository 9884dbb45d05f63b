import type { Page } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import { readCount } from '../../http/read-count.ts'

/** The largest number of entries of a page. */
export const MAX_LENGTH = 10_000
const ID = /^[\w-]{1,64}$/

/**
 * The part of a list that a call asks for.
 *
 * @throws {SvcError} `invalid_request` for an `after` that cannot be an id
 */
export function readPage(call: Pick<Call, 'query'>): Page {
  const after = call.query('after')
  if (after !== undefined && !ID.test(after)) {
    throw new SvcError('invalid_request', 'invalid after', { code: 'invalid_query', details: { param: 'after' } })
  }
  return { after, limit: readCount(call.query('limit'), { usual: MAX_LENGTH, most: MAX_LENGTH }) }
}

/** Reads an id from the path. Returns `-`, which never exists, for a malformed id. */
export function readId(call: Pick<Call, 'param'>, name = 'id'): string {
  const id = call.param(name)
  return ID.test(id) ? id : '-'
}
