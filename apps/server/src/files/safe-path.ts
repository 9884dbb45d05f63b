import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SvcError } from '@svc/errors'
import { toReason } from './file-error.ts'

const MAX_NAME_BYTES = 200
/** Control, formatting and bidirectional marks, what is not seen, halves of surrogate pairs, and the backslash. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\p{Surrogate}\\]/u
const FORBIDDEN_SEGMENTS = new Set(['', '.', '..'])
/** Fast path for nearly all real names. */
const PLAIN = /^[A-Za-z0-9_][\w.:-]{0,199}$/

/**
 * Whether a foreign text is allowed as a name (NAME-1): 1 to 200 bytes of UTF-8, no control, bidirectional or invisible
 * characters, no backslash, not beginning with `-`, `/` or `.`, and no empty, `.` or `..` between slashes.
 */
export function isSafeName(name: string): boolean {
  if (PLAIN.test(name)) return true
  if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false
  if (/^[-/.]/.test(name) || FORBIDDEN.test(name)) return false
  return !name.split('/').some((segment) => FORBIDDEN_SEGMENTS.has(segment))
}

/**
 * Refuses an unsafe name.
 *
 * @param what kind of the named thing, for the message: `model`
 * @throws {SvcError} `invalid_request`, code `invalid_name`
 */
export function checkName(name: string, what: string): void {
  if (!isSafeName(name)) throw new SvcError('invalid_request', `invalid ${what} name`, { code: 'invalid_name' })
}

/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const MAX_FILE_NAME = 180

const escapeByte = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

/**
 * Converts a safe name to its file name: one segment of `A-Z a-z 0-9 _ - .` and percent escapes. Different names give
 * different file names, if the file system respects case. Every path of a name is made here.
 */
export function toFileName(name: string): string {
  const escaped = name
    .replaceAll(/[^\w.-]/gu, (character) => [...Buffer.from(character)].map(escapeByte).join(''))
    .replace(DEVICE, (device) => `${escapeByte(device.charCodeAt(0))}${device.slice(1)}`)
    .replace(/\.$/, '%2E')
  if (escaped.length <= MAX_FILE_NAME) return escaped
  // escaping never writes `~`, so a shortened name equals no other
  return `${escaped.slice(0, MAX_FILE_NAME - 50)}~${hash('sha256', name, 'hex').slice(0, 40)}`
}

/** Converts the name of a model to the stem of its files in the models folder: as {@link toFileName}, with `/` as `__`. */
export function toModelFileName(name: string): string {
  return toFileName(name.replaceAll('/', '__'))
}

const refused = (what: string, reason: string): SvcError =>
  new SvcError('invalid_request', `${what} cannot be used: ${reason}`, { code: 'invalid_file' })

/**
 * Opens a regular file under a folder for reading: its last part is not a link, pipe or device. After opening it checks
 * again that the file is inside the folder.
 *
 * @param path relative to the folder; checked as a name
 * @param options.what kind of the file, for messages: `model file`
 * @returns an open handle that the caller closes
 * @throws {SvcError} `invalid_request` (`invalid_name`, `invalid_file`), or `not_found` when there is none
 */
export async function openInside(
  folder: string,
  path: string,
  { what }: { readonly what: string },
): Promise<FileHandle> {
  checkName(path, what)
  const target = join(folder, path)
  let handle: FileHandle
  try {
    // NONBLOCK: opening a pipe would otherwise wait for a writer
    handle = await open(target, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      throw new SvcError('not_found', `${what} not found`, { code: 'file_not_found' })
    }
    throw refused(what, toReason(error))
  }
  try {
    await checkOpened(handle, folder, target, what)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function checkOpened(handle: FileHandle, folder: string, target: string, what: string): Promise<void> {
  const opened = await handle.stat({ bigint: true })
  if (!opened.isFile()) throw refused(what, 'it is not a regular file')
  const [root, real] = await Promise.all([realpath(folder), realpath(target)]).catch((error: unknown) => {
    throw refused(what, toReason(error))
  })
  const named = await lstat(real, { bigint: true }).catch(() => undefined)
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) throw refused(what, 'it lies outside its folder')
  if (named?.ino !== opened.ino || named.dev !== opened.dev) throw refused(what, 'it changed while it was opened')
}
