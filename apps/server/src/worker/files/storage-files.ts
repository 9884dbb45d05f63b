import { realpath } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { SvcError } from '@svc/errors'
import type { ObjectStorage } from '../../cluster/object-storage/object-storage.ts'
import { hashFile } from '../../downloads/hash-file.ts'
import { toFileError } from '../../files/file-error.ts'
import { relativeInside } from '../../files/relative-inside.ts'
import { listFolder } from './downloads.ts'
import { checkInside, type FilePlace, makeParent, toFilePlace, type WorkerFolders } from './file-keys.ts'
import { badRequest, notFound } from './refusals.ts'
import { dropUpload, putInPlace, readState, SIDECARS, type StoredHashes, writeTarget } from './stored-files.ts'
import { MAX_FILE_BYTES } from './upload-request.ts'
import type { Uploads } from './uploads.ts'

/** A file that comes from the object storage. */
export interface WantedFile {
  /** The object. */
  readonly key: string
  /** Where the file goes, such as `models/<model>#0/sub/file.gguf`. */
  readonly path: string
  /** @default what the object keeps as its hash, if it has one */
  readonly sha256: string | undefined
  /** @default not known */
  readonly sizeBytes: number | undefined
}

/** Files between this worker and the object storage; paths are absolute. All fail with {@link SvcError}. */
export interface StorageFiles {
  /**
   * Has a file here: fetched, unless it is there. A second request for the same bytes waits for the first, and one for
   * other bytes in the same place comes after it.
   *
   * @throws {SvcError} code `no_object`, `storage_wrong_hash`, and what the storage and the disk throw
   */
  ensure(file: WantedFile): Promise<string>
  /** Stores a file of the folders. @throws {SvcError} `invalid_request` for another one */
  stage(path: string, key: string): Promise<void>
  /** Makes an empty file. */
  createFile(): Promise<string>
  /** Lists the files below a key, relative to it. */
  list(key: string): Promise<readonly string[]>
  close(): Promise<void>
}

/** Parts of {@link createStorageFiles}. */
export interface StorageFilesParts {
  readonly folders: WorkerFolders
  readonly objects: ObjectStorage
  readonly uploads: Pick<Uploads, 'alone' | 'forget'>
  readonly hashes: Pick<StoredHashes, 'read'>
  readonly staging: { claim(): void; createFile(): Promise<string> }
  /** @throws {SvcError} for a place that front ends may not write */
  readonly checkWritten: (place: FilePlace) => void
}

/** Longest time without progress, milliseconds; a front end sends the file itself then. */
const BUDGET_MS = 60_000

const toEncoded = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

/** Creates the files of a worker with an object storage. */
export function createStorageFiles(parts: StorageFilesParts): StorageFiles {
  const { folders, objects, uploads, hashes, staging, checkWritten } = parts
  const running = new Map<string, Promise<string>>()
  const ended = new AbortController()
  const options = { signal: ended.signal, budgetMs: BUDGET_MS }

  async function isThere({ path }: FilePlace, sha256: string | undefined): Promise<boolean> {
    if (sha256 === undefined) return false
    const found = await readState(path)
    return found.state === 'whole' && (await hashes.read(path)) === sha256
  }

  async function fetch(place: FilePlace, file: WantedFile): Promise<string> {
    const { path } = place
    await checkInside(place)
    const sha256 = file.sha256 ?? (await objects.find(file.key, options))?.sha256
    if (await isThere(place, sha256)) return path
    if (place.area === 'staging') staging.claim()
    return uploads.alone(path, async () => {
      await makeParent(place)
      uploads.forget(path)
      const before = await readState(path)
      if (before.state === 'partial' && (sha256 === undefined || before.target !== sha256)) await dropUpload(path)
      await writeTarget(path, sha256)
      const part = path + SIDECARS.part
      const target = { path: part, sha256, sizeBytes: file.sizeBytes, maxBytes: MAX_FILE_BYTES }
      try {
        const got = await objects.get(file.key, target, options)
        if (got === undefined) throw noObject(file.key)
        await putInPlace(path, part, got.sha256)
        return path
      } catch (error) {
        // What came stays, for the next try and for a front end that sends the rest.
        if (SvcError.is(error) && DROPPED.has(error.code ?? error.kind)) await dropUpload(path)
        throw error
      }
    })
  }

  return {
    async ensure(file) {
      const place = toFilePlace(toEncoded(file.path), folders)
      checkWritten(place)
      const wanted = JSON.stringify([place.path, file.key, file.sha256, file.sizeBytes])
      const work = running.get(wanted) ?? fetch(place, file).finally(() => running.delete(wanted))
      running.set(wanted, work)
      return work
    },
    async stage(given, key) {
      const path = await findOwnFile(given, folders)
      const source = await hashFile(path, { signal: ended.signal }).catch((error: unknown) => {
        throw toFileError(error, 'read', path)
      })
      await objects.put(key, { path, ...source }, options)
    },
    createFile: () => staging.createFile(),
    async list(key) {
      const place = toFilePlace(toEncoded(key.replace(/\/+$/, '')), folders)
      await checkInside(place)
      return listFolder(place)
    },
    async close() {
      ended.abort(new SvcError('unavailable', 'the worker stops', { code: 'stopping' }))
      await Promise.allSettled(running.values())
    },
  }
}

const DROPPED = new Set(['no_object', 'storage_wrong_hash', 'insufficient_storage', 'disk_full'])

const noObject = (key: string): SvcError =>
  new SvcError('not_found', `the object storage has no object "${key}"`, { code: 'no_object' })

/** A file that front ends have sent or that a backend has written for them; no other file of the machine. */
async function findOwnFile(path: string, folders: WorkerFolders): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0')) throw badRequest('the path is not absolute')
  const real = await realpath(resolve(path)).catch(() => undefined)
  if (real === undefined) throw notFound()
  for (const folder of Object.values(folders)) {
    if (relativeInside(await realpath(folder), real) !== undefined) return real
  }
  throw badRequest('the path is outside allowed directory')
}
