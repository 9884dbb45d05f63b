import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SvcError } from '@svc/errors'
import { toReason } from '../files/file-error.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { isBelow, type OwnPlaces } from './own-places.ts'

/** Files with keys of upstreams. */
export interface KeyFiles {
  /** The folder of the key files that models may name over the API. */
  readonly secretsPath: string
  /**
   * Reads a key file. A file of the server itself is never read, and a file below the secrets folder only where it really
   * lies there.
   *
   * @throws {SvcError} `forbidden`, code `key_file_refused`
   */
  read(path: string): Promise<string>
  /**
   * Checks a key file that somebody names over the API, as far as it exists: it lies below the secrets folder.
   *
   * @throws {SvcError} `forbidden`, code `key_file_refused`
   */
  checkGiven(path: string): Promise<void>
}

/** Largest key file in bytes. */
const MAX_BYTES = 64 * 1024

/** The key files of a server. */
export function createKeyFiles(places: OwnPlaces): KeyFiles {
  const { secretsPath } = places

  /** The real path of an existing file. @throws {SvcError} */
  async function locate(path: string): Promise<string> {
    const real = await realpath(path).catch((error: unknown) => {
      throw refused(`it cannot be read: ${toReason(error)}`, error)
    })
    if (await places.holdsFile(real)) throw refused('it belongs to this server')
    if (isBelowSecrets(path, secretsPath) && !isBelow(real, await realpath(secretsPath))) {
      throw refused('it leads out of the folder of --secrets-path')
    }
    return real
  }

  return {
    secretsPath,
    async read(path) {
      const real = await locate(path)
      const read = await readRegularFile(real, { maxBytes: MAX_BYTES, followsLink: false }).catch((error: unknown) => {
        throw refused(`it cannot be read: ${toReason(error)}`, error)
      })
      if (typeof read === 'string') throw refused(read)
      return read.toString('utf8')
    },
    async checkGiven(path) {
      if (!isBelowSecrets(path, secretsPath)) {
        throw refused(`it must lie below ${secretsPath} (--secrets-path) where it is named over the API`)
      }
      const isThere = await realpath(path).then(
        () => true,
        () => false,
      )
      if (isThere) await locate(path)
    },
  }
}

/** Whether a path names a file below the secrets folder. Relative paths start at the folder of the process. */
export function isBelowSecrets(path: string, secretsPath: string): boolean {
  return isBelow(resolve(path), resolve(secretsPath))
}

function refused(reason: string, cause?: unknown): SvcError {
  return new SvcError('forbidden', `the key file cannot be used: ${reason}`, {
    code: 'key_file_refused',
    details: { param: 'proxy.api_key_file' },
    ...(cause === undefined ? {} : { cause }),
  })
}
