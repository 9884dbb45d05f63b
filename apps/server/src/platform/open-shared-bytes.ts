import { createDatabaseBytes, removeLostBytes } from '../cluster/shared-files/database-bytes.ts'
import type { Database } from '../db/database.ts'
import type { Clock, Logger } from '../ports.ts'
import type { SharedBytes } from '../stored-files/shared-bytes.ts'

/** Opens the bytes of files that front ends share, and removes those that a killed one has left. */
export function openSharedBytes({
  database,
  clock,
  log,
}: {
  readonly database: Pick<Database, 'queries'>
  readonly clock: Clock
  readonly log: Logger
}): SharedBytes {
  removeLostBytes(database).catch((err: unknown) => log.warn({ err }, 'bytes of lost files could not be removed'))
  return createDatabaseBytes(database, { clock })
}
