import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Time of the last write to a folder or anything in it, milliseconds since the epoch; 0 where there is none. A write to
 * a file does not change the time of its folder.
 */
export async function readLastWrite(folder: string): Promise<number> {
  const inside = await readdir(folder, { recursive: true }).catch(() => [])
  const found = await Promise.all(['', ...inside].map((name) => lstat(join(folder, name)).catch(() => undefined)))
  return Math.max(...found.map((stats) => stats?.mtimeMs ?? 0))
}
