import { SvcError } from '@svc/errors'

/** How long a client waits before it tries again, milliseconds. */
const RETRY_AFTER_MS = 1000

const BUSY = /^SQLITE_(BUSY|LOCKED|PROTOCOL|IOERR)/
const FULL = new Set(['SQLITE_FULL', '53100', 'ENOSPC', 'EDQUOT'])
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/
/** Connection failures (08), resources short (53), operator intervention (57P0x), lock not available. */
const AWAY =
  /^(08...|53...|57P0.|55P03|CONNECT_TIMEOUT|CONNECTION_\w+|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/

/** The code of a database's error, of whichever driver, looked for through the causes. */
export function databaseCode(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string' && current.code !== '') return current.code
  }
  return undefined
}

/** Whether the file's content is at fault. */
export function isDamage(error: unknown): boolean {
  return DAMAGED.test(databaseCode(error) ?? '')
}

/** Whether another program has the SQLite file locked. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(databaseCode(error) ?? '')
}

/** Whether the database may be reachable again in a moment. */
export function isPassing(error: unknown): boolean {
  const code = databaseCode(error) ?? ''
  return BUSY.test(code) || AWAY.test(code)
}

/**
 * A database's error as what a caller may see: `unavailable` with a time to try again while the database is locked or
 * away (REL-8: never a verdict on who is calling), `insufficient_storage` for a full disk, `internal` for the rest. The
 * message says nothing of tables and values.
 */
export function toDatabaseError(cause: unknown): SvcError {
  if (SvcError.is(cause)) return cause
  const code = databaseCode(cause) ?? ''
  if (FULL.has(code))
    return new SvcError('insufficient_storage', 'the disk of the database is full', { code: 'disk_full', cause })
  if (isPassing(cause)) {
    return new SvcError('unavailable', 'the database cannot be reached', {
      code: 'database_unavailable',
      cause,
      retryAfterMs: RETRY_AFTER_MS,
    })
  }
  return new SvcError('internal', 'the database failed', { code: 'database_failed', cause })
}
