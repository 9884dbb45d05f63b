import type { ObjectStorage } from '../cluster/object-storage/object-storage.ts'
import { createDatabaseBytes, removeLostBytes } from '../cluster/shared-files/database-bytes.ts'
import { removeLostObjects } from '../cluster/shared-files/lost-objects.ts'
import { createStoredBytes } from '../cluster/shared-files/stored-bytes.ts'
import type { Database } from '../db/database.ts'
import type { Clock, Logger } from '../ports.ts'
import type { SharedBytes } from '../stored-files/shared-bytes.ts'
import type { Closers } from './closers.ts'

/** Opens the bytes of files that front ends share, and removes those that a killed one has left. */
export function openSharedBytes(
  {
    database,
    objects,
    clock,
    log,
  }: {
    readonly database: Pick<Database, 'queries' | 'instanceId'>
    /** @default all bytes are in the database */
    readonly objects: ObjectStorage | undefined
    readonly clock: Clock
    readonly log: Logger
  },
  closers: Closers,
): SharedBytes {
  removeLostBytes(database).catch((err: unknown) => log.warn({ err }, 'bytes of lost files could not be removed'))
  const inDatabase = createDatabaseBytes(database, { clock })
  if (objects === undefined) return inDatabase
  const closing = new AbortController()
  const { signal } = closing
  const { instanceId } = database
  const removing = removeLostObjects({ database, objects, instanceId, signal }).catch((err: unknown) => {
    if (!signal.aborted) log.warn({ err }, 'objects of lost files could not be removed')
  })
  closers.push(async () => {
    closing.abort(new Error('the server stops'))
    await removing
  })
  return createStoredBytes({ database: inDatabase, objects, instanceId, signal, logger: log })
}
