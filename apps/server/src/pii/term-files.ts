import { readFile, realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { TermFiles } from '@svc/pii'

/** Maximum size of a file of terms. */
const MAX_FILE_BYTES = 4 * 1024 * 1024

/** Reads files of protected terms under the models folder, and nothing outside of it, even through a link. */
export function createTermFiles(modelsPath: string): TermFiles {
  return {
    async read(path) {
      try {
        const folder = await realpath(modelsPath)
        const file = await realpath(resolve(folder, path))
        if (!file.startsWith(folder + sep)) return undefined
        const { size, mtimeMs, ino } = await stat(file)
        if (size > MAX_FILE_BYTES) return undefined
        return { text: await readFile(file, 'utf8'), stamp: `${ino}-${size}-${mtimeMs}` }
      } catch {
        return undefined
      }
    },
  }
}
