import { lstat, readFile, rename, rmdir, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '@svc/errors'
import { hashFile } from '../../downloads/hash-file.ts'
import { readSystemCode, toFileError } from '../../files/file-error.ts'
import { syncFolder } from '../../files/write-file-atomic.ts'
import { badRequest } from './refusals.ts'

const MODE = 0o640
const HASH = /^[0-9a-f]{64}$/

/** Ends of the names of files beside a file. */
export const SIDECARS = {
  /** Its hash. */
  hash: '.sha256',
  /** The hash that an upload under way will have. */
  target: '.sha256.target',
  /** The bytes of an upload under way. */
  part: '.sha256.part',
} as const

/** The state of a file at the worker. */
export type FileState =
  | { readonly state: 'absent' }
  /** An upload is under way; an earlier file may still be there. */
  | { readonly state: 'partial'; readonly size: number; readonly target: string | undefined }
  | { readonly state: 'whole'; readonly size: number }

/** Looks at a file. @throws {SvcError} `invalid_request` for a folder */
export async function readState(path: string): Promise<FileState> {
  const part = await lstat(path + SIDECARS.part).catch(() => undefined)
  if (part?.isFile() === true) return { state: 'partial', size: part.size, target: await readTarget(path) }
  const found = await stat(path).catch((error: unknown) => {
    const code = readSystemCode(error) ?? ''
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return undefined
    throw toFileError(error, 'read', path)
  })
  if (found === undefined) return { state: 'absent' }
  if (!found.isFile()) throw badRequest('the key names a directory')
  return { state: 'whole', size: found.size }
}

async function readTarget(path: string): Promise<string | undefined> {
  return readHash(path + SIDECARS.target)
}

async function readHash(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'latin1').catch(() => '')
  return HASH.test(text.trim()) ? text.trim() : undefined
}

/** Notes the hash that an upload will have, or that it has none. */
export async function writeTarget(path: string, target: string | undefined): Promise<void> {
  if (target === undefined) await remove(path + SIDECARS.target)
  else await writeSidecar(path + SIDECARS.target, target)
}

/** Half a hash is none, so that nothing has to be durable. A link in the place is replaced. */
async function writeSidecar(path: string, hash: string): Promise<void> {
  try {
    await remove(path)
    await writeFile(path, hash, { mode: MODE, flag: 'wx' })
  } catch (error) {
    throw SvcError.is(error) ? error : toFileError(error, 'written', path)
  }
}

/** Drops an upload under way. */
export async function dropUpload(path: string): Promise<void> {
  await remove(path + SIDECARS.part)
  await remove(path + SIDECARS.target)
}

/**
 * Puts a complete file in place. A kill in between leaves the file before, or the new one without its hash, which is then
 * computed again.
 *
 * @param from its durable bytes, in the same folder
 */
export async function putInPlace(path: string, from: string, sha256: string): Promise<void> {
  await remove(path + SIDECARS.hash)
  try {
    await rename(from, path)
    await syncFolder(dirname(path))
  } catch (error) {
    if (readSystemCode(error) === 'EISDIR') throw badRequest('the key names a directory')
    throw toFileError(error, 'written', path)
  }
  await dropUpload(path)
  // Without it the hash is computed when somebody asks.
  await writeSidecar(path + SIDECARS.hash, sha256).catch(() => undefined)
}

/**
 * Notes the hash of a file that came on another way, unless one is known: another file may be in its place by now.
 *
 * @returns the hash that counts
 */
export async function noteNewHash(path: string, sha256: string): Promise<string> {
  const known = await readFresh(path)
  if (known === undefined) await noteHash(path, sha256)
  return known ?? sha256
}

/** Notes the hash of a file that is in its place. */
export async function noteHash(path: string, sha256: string): Promise<void> {
  await writeSidecar(path + SIDECARS.hash, sha256)
}

/** Removes a file with what is beside it. */
export async function removeFile(path: string): Promise<void> {
  await remove(path)
  await remove(path + SIDECARS.hash)
  await dropUpload(path)
}

/** Removes the empty folders from that of a file up to a folder, which stays. */
export async function removeEmptyParents(path: string, folder: string): Promise<void> {
  for (let each = dirname(path); each.length > folder.length; each = dirname(each)) {
    const isGone = await rmdir(each).then(
      () => true,
      () => false,
    )
    if (!isGone) return
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    const code = readSystemCode(error) ?? ''
    if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) throw toFileError(error, 'removed', path)
  })
}

/** Hashes of whole files, of which each is read at most once at a time. */
export interface StoredHashes {
  /** The SHA-256 of a file, from its sidecar where that is not older than the file. */
  read(path: string): Promise<string>
  /** Stops reading. */
  close(): Promise<void>
}

export function createStoredHashes(): StoredHashes {
  const running = new Map<string, Promise<string>>()
  const ended = new AbortController()
  const compute = async (path: string): Promise<string> => {
    const before = await readVersion(path)
    const { sha256 } = await hashFile(path, { signal: ended.signal })
    await writeSidecar(path + SIDECARS.hash, sha256).catch(() => undefined)
    // Another file may have come in its place meanwhile.
    if ((await readVersion(path)) !== before) await remove(path + SIDECARS.hash)
    return sha256
  }
  return {
    async read(path) {
      const kept = await readFresh(path)
      if (kept !== undefined) return kept
      const work = running.get(path) ?? compute(path).finally(() => running.delete(path))
      running.set(path, work)
      return work
    },
    async close() {
      ended.abort()
      await Promise.allSettled(running.values())
    },
  }
}

async function readVersion(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && [found.dev, found.ino, found.size, found.mtimeNs].join(':')
}

async function readFresh(path: string): Promise<string | undefined> {
  const [file, sidecar] = await Promise.all(
    [path, path + SIDECARS.hash].map((each) => stat(each, { bigint: true }).catch(() => undefined)),
  )
  if (file === undefined || sidecar === undefined || sidecar.mtimeNs < file.mtimeNs) return undefined
  return readHash(path + SIDECARS.hash)
}
