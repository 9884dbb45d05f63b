import { readFile, realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { TermFiles } from '@svc/pii'
import type { OwnPlaces } from '../key-files/own-places.ts'

/** Maximum size of a file of terms. */
const MAX_FILE_BYTES = 4 * 1024 * 1024

/**
 * Reads files of protected terms under the models folder, and nothing outside of it, even through a link, nor a file of the
 * server.
 */
export function createTermFiles(modelsPath: string, places: Pick<OwnPlaces, 'holdsFile'>): TermFiles {
  return {
    async read(path) {
      try {
        const folder = await realpath(modelsPath)
        const file = await realpath(resolve(folder, path))
        if (!file.startsWith(folder + sep) || (await places.holdsFile(file))) return undefined
        const { size, mtimeMs, ino } = await stat(file)
        if (size > MAX_FILE_BYTES) return undefined
        return { text: await readFile(file, 'utf8'), stamp: `${ino}-${size}-${mtimeMs}` }
      } catch {
        return undefined
      }
    },
  }
}
