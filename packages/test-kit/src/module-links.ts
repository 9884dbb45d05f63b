import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tempDir } from './temp-dir.ts'

/**
 * Whether this process loads a module behind a link as the file it is. A look at a socket or pipe by `stat` or `rm`
 * ends that until the next look at another file (nodejs/node issue 51142).
 */
export async function loadsRealFiles(): Promise<boolean> {
  await using dir = await tempDir()
  await mkdir(dir.join('real'))
  await writeFile(dir.join('real', 'name.cjs'), 'module.exports = __filename')
  await writeFile(dir.join('from.cjs'), '')
  await symlink(dir.join('real'), dir.join('link'))
  const load = createRequire(dir.join('from.cjs'))
  // Only folders that Node knows already are passed over.
  load('./from.cjs')
  return load('./link/name.cjs') === dir.join('real', 'name.cjs')
}
