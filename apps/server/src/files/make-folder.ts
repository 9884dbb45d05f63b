import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartRefused } from '../config/start-refused.ts'
import { readSystemCode, toFileError, toReason } from './file-error.ts'

/**
 * Makes a folder that the server cannot do without, and those above it.
 *
 * @param options.what what the folder is and which flag names it, for the operator: `models folder (--models-path)`
 * @throws {StartRefused} exit code 78 when the folder cannot be made
 */
export async function makeFolder(
  path: string,
  { what, mode }: { readonly what: string; readonly mode?: number | undefined },
): Promise<void> {
  try {
    await make(path, mode)
  } catch (error) {
    throw new StartRefused(`the ${what} ${path} cannot be made: ${toReason(error)}`, { exitCode: 78, cause: error })
  }
}

/** Makes the folder of a file that is about to be written, and those above it. @throws {SvcError} as {@link toFileError} */
export async function makeFileFolder(path: string, mode?: number): Promise<void> {
  await mkdir(path, { recursive: true, mode }).catch((error: unknown) => {
    throw toFileError(error, 'made', path)
  })
}

/** Goes up to a folder that is there. `mkdir` with `recursive` never ends below `/proc`. */
async function make(path: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(path, mode)
  } catch (error) {
    const code = readSystemCode(error)
    const parent = dirname(path)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || parent === path || (await isThere(parent))) throw error
    await make(parent, mode)
    await mkdir(path, mode)
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
