import { SvcError } from '@svc/errors'

/** Maximum number of waiting reads. */
export const MAX_WAITING_READS = 64
/** Default maximum number of rows of one read. */
export const MAX_ROWS = 50_000

/** Creates the error of a read that found too many rows. */
export function tooManyRows(limit: number): SvcError {
  return new SvcError('internal', `a read has more than ${limit} rows`, { code: 'too_many_rows' })
}
