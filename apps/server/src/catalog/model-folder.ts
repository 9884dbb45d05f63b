import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { readSystemCode, toReason } from '../files/file-error.ts'
import { watchFolder } from './folder-watch.ts'
import type { FileLookup, FoundFile } from './found-file.ts'
import { shareLooks } from './shared-looks.ts'

/** A folder of model files. Reading does not block on pipes and does not follow links out of the folder. */
export interface ModelFolder {
  readonly path: string
  /** Lists names in byte order without hidden files and those of the system; empty without a folder. */
  names(): string[]
  /** Finds the file of a path relative to the folder. */
  find(relativePath: string): FileLookup
  /** Forgets what was found; the next {@link find} looks at the file system. */
  forget(): void
  close(): void
}

const NONBLOCK = constants.O_NONBLOCK ?? 0
const NOFOLLOW = constants.O_NOFOLLOW ?? 0

/** Options of {@link openModelFolder}. */
export interface ModelFolderOptions {
  /** Time for which a look at a file is reused, milliseconds, so that requests of one moment share it. @default 0 */
  readonly freshMs?: number | undefined
  /** Watches the folder: a look at one of its entries is reused until something changes. @default false */
  readonly watches?: boolean | undefined
}

/** Opens a folder that may not exist yet. */
export function openModelFolder(path: string, { freshMs = 0, watches = false }: ModelFolderOptions = {}): ModelFolder {
  const changes = watches ? watchFolder(path) : undefined
  const looks = shareLooks((relativePath) => find(path, join(path, relativePath)), { folder: path, freshMs, changes })
  return {
    path,
    names() {
      try {
        return readdirSync(path)
          .filter((name) => !name.startsWith('.'))
          .sort(compareBytes)
      } catch {
        return []
      }
    },
    find: looks.find,
    forget: looks.forget,
    close: () => changes?.close(),
  }
}

/** Compares names by the bytes of their UTF-8, so `demo` comes before `demo-embed` and `Z` before `a`. */
export function compareBytes(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function find(root: string, path: string): FileLookup {
  try {
    let real = path
    let stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return undefined
    if (stats.isSymbolicLink()) {
      const inside = realpathSync(root)
      real = realpathSync(path)
      if (!real.startsWith(inside.endsWith(sep) ? inside : inside + sep))
        return fault('is a link to outside the folder')
      stats = lstatSync(real, { bigint: true })
    }
    if (stats.isDirectory()) return undefined
    if (!stats.isFile()) return fault('is not a regular file')
    return {
      found: true,
      path: real,
      sizeBytes: Number(stats.size),
      modifiedAt: Number(stats.mtimeMs),
      signature: [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':'),
      changedAt: Number(stats.ctimeMs),
    }
  } catch (error) {
    if (readSystemCode(error) === 'ENOENT' || readSystemCode(error) === 'ENOTDIR') return undefined
    return fault(toReason(error))
  }
}

function fault(reason: string): FileLookup {
  return { found: false, fault: reason }
}

/**
 * Calls `use` with an open descriptor of a found file and its size, then closes the file.
 *
 * @throws the system's error when it cannot be opened, is a link, or is no longer a file
 */
export function withOpenFile<T>(file: FoundFile, use: (descriptor: number, sizeBytes: number) => T): T {
  const descriptor = openSync(file.path, constants.O_RDONLY | NOFOLLOW | NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('not a regular file')
    return use(descriptor, stats.size)
  } finally {
    closeSync(descriptor)
  }
}

/** Reads a small file; undefined when it is larger than `maxBytes`. */
export function readSmallFile(file: FoundFile, maxBytes: number): Buffer | undefined {
  return withOpenFile(file, (descriptor, sizeBytes) => {
    if (sizeBytes > maxBytes) return undefined
    const buffer = Buffer.alloc(sizeBytes)
    let filled = 0
    while (filled < sizeBytes) {
      const read = readSync(descriptor, buffer, filled, sizeBytes - filled, null)
      if (read === 0) break
      filled += read
    }
    // Bytes written meanwhile belong to a later content with another signature.
    return buffer.subarray(0, filled)
  })
}
