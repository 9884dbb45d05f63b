import { createHttpUpstream, type WayOut } from '@svc/http-client'
import type { Clock, Logger } from '../../ports.ts'
import { createObjectStorage, type ObjectStorage } from './object-storage.ts'
import { readStorageSettings, type StorageConfig } from './storage-settings.ts'
import { createStorageWatch, type StorageWatch } from './storage-watch.ts'

/** Time for the head of a reply, milliseconds. It includes the sending of a part. */
const HEAD_MS = 120_000
/** Longest silence within a reply, milliseconds. */
const IDLE_MS = 60_000
const MAX_CONNECTIONS = 64

/** The object storage of a server or a worker. */
export interface OpenStorage {
  readonly objects: ObjectStorage
  /** Whether it answers. */
  readonly watch: StorageWatch
  close(): Promise<void>
}

/** Opens the object storage; undefined where none is set. It may be away: nothing waits for it here. */
export function openStorage(
  config: StorageConfig,
  {
    ca,
    wayOut,
    clock,
    logger,
  }: {
    /** Additional authorities, PEM. */
    readonly ca: string | undefined
    readonly wayOut: WayOut
    readonly clock: Clock
    readonly logger: Logger
  },
): OpenStorage | undefined {
  const settings = readStorageSettings(config)
  if (settings === undefined) return undefined
  const client = createHttpUpstream({ ca, wayOut, headMs: HEAD_MS, idleMs: IDLE_MS, maxConnections: MAX_CONNECTIONS })
  const objects = createObjectStorage(settings, { client, clock })
  const watch = createStorageWatch(objects, { clock, logger })
  return {
    objects,
    watch,
    async close() {
      await watch.close()
      await client.close()
    },
  }
}
