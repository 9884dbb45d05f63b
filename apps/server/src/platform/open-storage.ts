import type { OpenStorage } from '../cluster/object-storage/open-storage.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Closers } from './closers.ts'
import type { OpenUpstreams } from './open-upstreams.ts'

/** Opens the object storage of a front end; undefined where none is set. */
export async function openStorage(
  {
    config,
    ca,
    wayOut,
    clock,
    log,
  }: Pick<OpenUpstreams, 'ca' | 'wayOut'> & {
    readonly config: ServerConfig
    readonly clock: Clock
    readonly log: Logger
  },
  closers: Closers,
): Promise<OpenStorage | undefined> {
  if (!config.storageUrl) return undefined
  const library = await import('../cluster/object-storage/open-storage.ts')
  const storage = library.openStorage(config, { ca, wayOut, clock, logger: log })
  if (storage !== undefined) closers.push(() => storage.close())
  return storage
}
