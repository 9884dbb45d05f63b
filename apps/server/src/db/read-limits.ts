import { SvcError } from '@svc/errors'

/** Reads that may wait for their turn. */
export const MAX_WAITING_READS = 64
/** Rows of one read, unless it asks for another limit. */
export const MAX_ROWS = 50_000

/** The error of a read that found more than it may return. */
export function tooManyRows(limit: number): SvcError {
  return new SvcError('internal', `a read has more than ${limit} rows`, { code: 'too_many_rows' })
}
