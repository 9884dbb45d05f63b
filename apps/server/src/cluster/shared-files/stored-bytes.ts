import { rename, stat, unlink } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { hashFile } from '../../downloads/hash-file.ts'
import { toFileError } from '../../files/file-error.ts'
import { createTemporaryPath } from '../../files/temporary-files.ts'
import { mapConcurrently } from '../../inference/operations/map-concurrently.ts'
import type { Logger } from '../../ports.ts'
import type { SharedBytes } from '../../stored-files/shared-bytes.ts'
import type { ObjectStorage } from '../object-storage/object-storage.ts'
import type { DatabaseBytes } from './database-bytes.ts'

/** Smaller files are in the database. */
const LEAST_BYTES = 1024 * 1024
const REMOVED_AT_ONCE = 8
/** A user waits for these. */
const BUDGET_MS = 20_000
const REMOVE_MS = 5000

/** Parts of {@link createStoredBytes}. */
export interface StoredBytesParts {
  readonly database: DatabaseBytes
  readonly objects: Pick<ObjectStorage, 'put' | 'get' | 'remove'>
  /** Id of the database: several clusters may share a bucket. */
  readonly instanceId: string
  /** Aborted when the server stops. */
  readonly signal: AbortSignal
  readonly logger: Logger
  /** @default 1 MiB */
  readonly leastBytes?: number | undefined
}

type Target = Parameters<SharedBytes['fetch']>[1]

/** Where the bytes of a file are among the objects. */
export const toBytesKey = (instanceId: string, file: string): string => `svc/files/${instanceId}/${file}`

/**
 * Keeps the bytes of small files in the database and those of others in the object storage. While that is away, files
 * that the database takes go there.
 */
export function createStoredBytes({
  database,
  objects,
  instanceId,
  signal,
  logger,
  leastBytes = LEAST_BYTES,
}: StoredBytesParts): SharedBytes {
  const toKey = (file: string): string => toBytesKey(instanceId, file)
  const running = new Map<string, Promise<boolean>>()

  async function fetchObject(file: string, { path, sizeBytes }: Target): Promise<boolean> {
    const temporary = createTemporaryPath(path)
    try {
      await database.prepareFolder(path)
      const target = { path: temporary, maxBytes: sizeBytes }
      const found = await objects.get(toKey(file), target, { signal, budgetMs: BUDGET_MS })
      const isWhole = found?.sizeBytes === sizeBytes
      if (isWhole) await rename(temporary, path)
      return isWhole
    } catch (error) {
      throw SvcError.is(error) ? error : toFileError(error, 'written', path)
    } finally {
      await unlink(temporary).catch(() => undefined)
    }
  }

  async function fetch(file: string, to: Target): Promise<boolean> {
    if (to.sizeBytes < leastBytes) return database.fetch(file, to)
    try {
      if (await fetchObject(file, to)) return true
    } catch (error) {
      // It may have been stored while there was no storage.
      if (await database.fetch(file, to)) return true
      throw error
    }
    return database.fetch(file, to)
  }

  return {
    async put(file, path) {
      const { size } = await stat(path)
      if (size < leastBytes) return database.put(file, path)
      try {
        const source = { path, ...(await hashFile(path, { signal })) }
        await objects.put(toKey(file), source, { signal, budgetMs: BUDGET_MS })
      } catch (err) {
        if (size > database.maxBytes || signal.aborted) throw err
        logger.warn({ err }, 'a file goes into the database, because the object storage did not take it')
        await database.put(file, path)
      }
    },
    fetch(file, to) {
      // Each fetch has the whole file on the disk, so readers of one file share it.
      const work = running.get(to.path) ?? fetch(file, to).finally(() => running.delete(to.path))
      running.set(to.path, work)
      return work
    },
    async remove(files) {
      await database.remove(files)
      await mapConcurrently(files, { limit: REMOVED_AT_ONCE, signal }, async (file, within) => {
        await objects.remove(toKey(file), { ...within, budgetMs: REMOVE_MS })
      }).catch((err: unknown) => {
        logger.warn({ err }, 'objects of removed files stay until the next start')
      })
    },
  }
}
