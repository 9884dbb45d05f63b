import { randomBytes } from 'node:crypto'
import { readdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** `.name.<random>.tmp` */
const TEMPORARY = /^\..+\.[0-9a-f]{12}\.tmp$/
/** A file name may have 255 bytes. */
const MAX_NAME_PART = 200
/** An hour: no write takes that long, so older files were left by killed processes. */
const STALE_AFTER_MS = 3_600_000

/**
 * Gives the temporary name for a write of `path`: unique, in the same folder, known to {@link removeStaleTemporaries}.
 */
export function createTemporaryPath(path: string): string {
  const name = basename(path)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, MAX_NAME_PART)
  return join(dirname(path), `.${name}.${randomBytes(6).toString('hex')}.tmp`)
}

/**
 * Removes files that killed processes left in a folder: own temporary files older than an hour. Called at start.
 *
 * @param options.now milliseconds since the epoch
 * @returns the removed names
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
