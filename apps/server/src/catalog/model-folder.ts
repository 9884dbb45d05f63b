import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { reasonOf, systemCode } from '../files/file-error.ts'

/** A regular file inside a models folder. */
export interface FoundFile {
  readonly found: true
  /** Where it really is; never a link. */
  readonly path: string
  readonly sizeBytes: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  /** Another text means another content. The same text within {@link FoundFile.changedAt} + 2 s may be another, too. */
  readonly signature: string
  /** When content or attributes last changed by the clock of the file system, milliseconds since the epoch. */
  readonly changedAt: number
}

/** A file, why it cannot be used, or undefined when there is none. */
export type FileLookup = FoundFile | { readonly found: false; readonly fault: string } | undefined

/** A folder of model files, read without blocking on what is no file and without leaving it through links. */
export interface ModelFolder {
  readonly path: string
  /** Names in the folder in byte order, files of the system and hidden ones left out; empty when there is no folder. */
  names(): string[]
  /** The file of a path relative to the folder. */
  find(relativePath: string): FileLookup
}

const NONBLOCK = constants.O_NONBLOCK ?? 0
const NOFOLLOW = constants.O_NOFOLLOW ?? 0

/**
 * Looks at a folder that may not be there yet.
 *
 * @param options.freshMs how long a look at a file counts, milliseconds: requests of one moment may share it. @default 0
 */
export function openModelFolder(path: string, options: { readonly freshMs?: number | undefined } = {}): ModelFolder {
  const { freshMs = 0 } = options
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
    find: shareLooks((relativePath) => find(path, join(path, relativePath)), freshMs),
  }
}

/** Looks that are remembered. */
const MAX_LOOKS = 64

function shareLooks(look: ModelFolder['find'], freshMs: number): ModelFolder['find'] {
  if (freshMs === 0) return look
  const looks = new Map<string, { at: number; found: FileLookup }>()
  return (relativePath) => {
    const now = performance.now()
    const last = looks.get(relativePath)
    if (last !== undefined && now - last.at < freshMs) return last.found
    const found = look(relativePath)
    if (last !== undefined) {
      last.at = now
      last.found = found
      return found
    }
    if (looks.size >= MAX_LOOKS) looks.clear()
    looks.set(relativePath, { at: now, found })
    return found
  }
}

/** Order of names everywhere: by the bytes of their UTF-8, so `demo` comes before `demo-embed` and `Z` before `a`. */
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
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
    return fault(reasonOf(error))
  }
}

function fault(reason: string): FileLookup {
  return { found: false, fault: reason }
}

/**
 * Calls `use` with an open descriptor of a found file and its size; the file is closed afterwards.
 *
 * @throws the system's error when it cannot be opened, is a link by now or no longer a file
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

/** The content of a small file; undefined when it is larger than `maxBytes`. */
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
    // Bytes written meanwhile are another content of the file, with another signature.
    return buffer.subarray(0, filled)
  })
}
