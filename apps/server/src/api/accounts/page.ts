import type { Page } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'

/** The largest number of entries of a page. */
export const MAX_LENGTH = 10_000
const ID = /^[\w-]{1,64}$/

/**
 * The part of a list that a call asks for.
 *
 * @throws {SvcError} `invalid_request` for anything but an id and a whole number
 */
export function readPage(call: Pick<Call, 'query'>): Page {
  const [after, limit] = [call.query('after'), call.query('limit')]
  if (after !== undefined && !ID.test(after)) throw wrong('after')
  if (limit === undefined) return { after, limit: MAX_LENGTH }
  const count = /^\d{1,5}$/.test(limit) ? Number(limit) : 0
  if (count < 1 || count > MAX_LENGTH) throw wrong('limit')
  return { after, limit: count }
}

/** An id of the path; `-`, which nothing has, for what cannot be one. */
export function readId(call: Pick<Call, 'param'>, name = 'id'): string {
  const id = call.param(name)
  return ID.test(id) ? id : '-'
}

function wrong(param: string): SvcError {
  return new SvcError('invalid_request', `invalid ${param}`, { code: 'invalid_query', details: { param } })
}
