import { randomBytes } from 'node:crypto'
import { readdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** `.name.<random>.tmp` */
const TEMPORARY = /^\..+\.[0-9a-f]{12}\.tmp$/
/** A file name may have 255 bytes. */
const MAX_NAME_PART = 200
/** An hour: no write takes so long, so what is older was left by a killed process. */
const STALE_AFTER_MS = 3_600_000

/** Where a write of `path` begins: a name of its own in the same folder, that {@link removeStaleTemporaries} knows. */
export function temporaryPath(path: string): string {
  const name = basename(path)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, MAX_NAME_PART)
  return join(dirname(path), `.${name}.${randomBytes(6).toString('hex')}.tmp`)
}

/**
 * Removes what killed processes left in a folder: own temporary files more than an hour old. Called at start.
 *
 * @param options.now milliseconds since the epoch
 * @returns the names that were removed
 */
export async function removeStaleTemporaries(
  folder: string,
  options: { readonly now: number },
): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  const removed: string[] = []
  for (const name of names.filter((each) => TEMPORARY.test(each))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || !found.isFile() || options.now - found.mtimeMs < STALE_AFTER_MS) continue
    const isGone = await unlink(path).then(
      () => true,
      () => false,
    )
    if (isGone) removed.push(name)
  }
  return removed
}
