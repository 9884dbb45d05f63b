import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../object-storage/object-storage.ts'
import { findNamedBytes } from './database-bytes.ts'
import { toBytesKey } from './stored-bytes.ts'

/** Removes objects whose file is gone: a server was killed while it removed them. Objects always come after their row. */
export async function removeLostObjects({
  database,
  objects,
  instanceId,
  signal,
}: {
  readonly database: Pick<Database, 'queries'>
  readonly objects: Pick<ObjectStorage, 'list' | 'remove'>
  readonly instanceId: string
  readonly signal: AbortSignal
}): Promise<void> {
  const prefix = toBytesKey(instanceId, '')
  for await (const keys of objects.list(prefix, { signal })) {
    const files = keys.map((key) => key.slice(prefix.length))
    const named = await findNamedBytes(database, files)
    for (const file of files) if (!named.has(file)) await objects.remove(prefix + file, { signal })
  }
}
