import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Short commit of a checkout as 7 hex digits; `0000000` without git. Read from files: no git program is needed. */
export function readCommit(root) {
  try {
    let gitFolder = join(root, '.git')
    if (statSync(gitFolder).isFile())
      gitFolder = resolve(root, readFileSync(gitFolder, 'utf8').replace('gitdir:', '').trim())
    const commonFile = join(gitFolder, 'commondir')
    const common = existsSync(commonFile) ? resolve(gitFolder, readFileSync(commonFile, 'utf8').trim()) : gitFolder
    const head = readFileSync(join(gitFolder, 'HEAD'), 'utf8').trim()
    if (!head.startsWith('ref: ')) return head.slice(0, 7)
    const ref = head.slice(5)
    for (const base of [gitFolder, common]) {
      if (existsSync(join(base, ref))) return readFileSync(join(base, ref), 'utf8').trim().slice(0, 7)
    }
    const packed = readFileSync(join(common, 'packed-refs'), 'utf8').split('\n')
    return packed.find((line) => line.endsWith(` ${ref}`))?.slice(0, 7) ?? '0000000'
  } catch {
    return '0000000'
  }
}

/** Writes the commit beside the server's built entry, where `/version` reads it. */
export function writeCommit(root) {
  writeFileSync(join(root, 'apps/server/dist/commit.txt'), `${readCommit(root)}\n`)
}
