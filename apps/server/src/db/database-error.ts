import { SvcError } from '@svc/errors'

/** Delay for clients before they try again, milliseconds. */
const RETRY_AFTER_MS = 1000

const BUSY = /^SQLITE_(BUSY|LOCKED|PROTOCOL|IOERR)/
const FULL = new Set(['SQLITE_FULL', '53100', 'ENOSPC', 'EDQUOT'])
/** PostgreSQL takes no NUL in a text. */
const UNSTORABLE = '22021'
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/
/** Connection failures (08), resources short (53), operator intervention (57P0x), lock not available, deadlock. */
const AWAY =
  /^(08...|40P01|53...|57P0.|55P03|CONNECT_TIMEOUT|CONNECTION_\w+|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/

/** Finds the code of a database's error, of any driver, in its chain of causes. */
export function findDatabaseCode(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string' && current.code !== '') return current.code
  }
  return undefined
}

/** Whether the content of the file is damaged. */
export function isDamage(error: unknown): boolean {
  return DAMAGED.test(findDatabaseCode(error) ?? '')
}

/** Whether another program has the SQLite file locked. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(findDatabaseCode(error) ?? '')
}

/** Whether the database may soon be reachable again. */
export function isPassing(error: unknown): boolean {
  if (SvcError.is(error)) return error.kind === 'unavailable'
  const code = findDatabaseCode(error) ?? ''
  return BUSY.test(code) || AWAY.test(code)
}

/** The refusal of work for a database that does not answer. */
export function databaseAway(cause?: unknown): SvcError {
  return new SvcError('unavailable', 'the database cannot be reached', {
    code: 'database_unavailable',
    cause,
    retryAfterMs: RETRY_AFTER_MS,
  })
}

/**
 * Converts a database's error for callers: `unavailable` with a delay while the database is locked or away (REL-8:
 * never a verdict on the caller), `insufficient_storage` for a full disk, `invalid_request` for a text with NUL,
 * `internal` otherwise. The message reveals no tables or values.
 */
export function toDatabaseError(cause: unknown): SvcError {
  if (SvcError.is(cause)) return cause
  const code = findDatabaseCode(cause) ?? ''
  if (FULL.has(code))
    return new SvcError('insufficient_storage', 'the disk of the database is full', { code: 'disk_full', cause })
  if (isPassing(cause)) return databaseAway(cause)
  if (code === UNSTORABLE) {
    return new SvcError('invalid_request', 'a text has a character that the database does not take, such as NUL', {
      code: 'text_refused',
      cause,
    })
  }
  return new SvcError('internal', 'the database failed', { code: 'database_failed', cause })
}
