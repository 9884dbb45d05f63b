import { basename } from 'node:path'
import { SvcError } from '@svc/errors'

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const DENIED = new Set(['EACCES', 'EPERM', 'EROFS'])

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'it does not exist',
  ENOTDIR: 'its folder is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file is in its place',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'it is a symbolic link',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
}

/** Gives the system's code of a failed call, such as `ENOENT`; undefined for other errors. */
export function readSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Describes a failed file operation without its path. */
export function toReason(error: unknown): string {
  const code = readSystemCode(error)
  return code === undefined ? 'unknown reason' : (REASONS[code] ?? code)
}

/** A user of the operating system, by the numbers that `chown` takes. */
export interface UserNumbers {
  readonly number: number
  readonly group: number
}

/** The user of this process; undefined on systems without numbers. */
export function readUserNumbers(): UserNumbers | undefined {
  const [number, group] = [process.geteuid?.(), process.getegid?.()]
  return number === undefined || group === undefined ? undefined : { number, group }
}

/**
 * Converts a failed file operation: `insufficient_storage` for a full disk and for a place that this process may not
 * change, `internal` otherwise. The message names the file without its folder, so clients may see it.
 *
 * @param doing the operation as a participle: `written`
 */
export function toFileError(cause: unknown, doing: string, path: string): SvcError {
  const systemCode = readSystemCode(cause) ?? ''
  const said = `${basename(path)} could not be ${doing}: ${toReason(cause)}`
  if (FULL.has(systemCode)) return new SvcError('insufficient_storage', said, { code: 'disk_full', cause })
  if (doing === 'read' || !DENIED.has(systemCode)) return new SvcError('internal', said, { code: 'file_failed', cause })
  const user = systemCode === 'EROFS' ? undefined : readUserNumbers()
  const message = user === undefined ? said : `${said} for user ${user.number}, group ${user.group}`
  return new SvcError('insufficient_storage', message, { code: 'not_writable', cause })
}
