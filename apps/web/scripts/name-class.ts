import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Names a class of a module in the build: short, and the same in every checkout. */
export function nameClass(name: string, file: string): string {
  // some callers add a query
  const path = relative(root, file.replace(/\?.*$/, ''))
  return `${name}_${createHash('sha256').update(path).digest('hex').slice(0, 4)}`
}
