import { mkdir, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { toFileError } from '../../files/file-error.ts'
import { badRequest } from './refusals.ts'

/** Folders of a worker that its file server reads and writes. */
export interface WorkerFolders {
  readonly models: string
  readonly data: string
  readonly staging: string
}

/** The place of a key. */
export interface FilePlace {
  readonly area: keyof WorkerFolders
  readonly folder: string
  /** Absolute, below the folder. */
  readonly path: string
}

const MAX_KEY_BYTES = 4096
/** A file name may have 255 bytes, and sidecars of a file have longer names. */
const MAX_NAME_BYTES = 230
const FORBIDDEN = /[\p{Cc}\p{Surrogate}\\]/u

/**
 * Reads the key at the end of a request path.
 *
 * @param text percent-encoded
 * @throws {SvcError} `invalid_request`, code `bad_file_key`
 */
export function toFilePlace(text: string, folders: WorkerFolders): FilePlace {
  const segments = decode(text).split('/')
  if (segments.some((name) => name === '' || name === '.' || name === '..'))
    throw badKey('is outside allowed directory')
  if (segments.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) throw badKey('has a name that is too long')
  const [first = '', ...rest] = segments
  const area = (first === 'models' || first === 'data') && rest.length > 0 ? first : 'staging'
  const folder = folders[area]
  return { area, folder, path: join(folder, ...(area === 'staging' ? segments : rest)) }
}

function decode(text: string): string {
  if (text === '') throw badKey('is required')
  if (text.length > 3 * MAX_KEY_BYTES) throw badKey('is too long')
  let key: string
  try {
    key = decodeURIComponent(text)
  } catch {
    throw badKey('is not percent-encoded')
  }
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw badKey('is too long')
  if (FORBIDDEN.test(key)) throw badKey('has a forbidden character')
  return key
}

/** Checks that no symbolic link leads a path out of its folder. @throws {SvcError} `invalid_request` */
export async function checkInside({ folder, path }: FilePlace): Promise<void> {
  const root = await realpath(folder).catch(() => folder)
  for (let each = path; each.length >= folder.length; each = dirname(each)) {
    const real = await realpath(each).catch(() => undefined)
    if (real === undefined) continue
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw badKey('is outside allowed directory')
    }
    return
  }
}

/** Makes the folder of a file. @throws {SvcError} `invalid_request`, `insufficient_storage`, `internal` */
export async function makeParent(place: FilePlace): Promise<void> {
  await checkInside(place)
  try {
    await mkdir(dirname(place.path), { recursive: true, mode: 0o750 })
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOTDIR' || error.code === 'EEXIST')) {
      throw badKey('names a file below a file')
    }
    throw toFileError(error, 'written', place.path)
  }
}

const badKey = (what: string) => badRequest(`the key ${what}`, 'bad_file_key')
