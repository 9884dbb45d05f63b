import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/**
 * Builds the server of a commit in a folder of its own, which is kept for the next time.
 *
 * @param commit a commit or a tag of this repository
 * @returns the path to the entry
 * @throws Error when there is no such commit, or it does not build
 */
export async function buildCommit(commit: string): Promise<string> {
  const hash = execFileSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: ROOT, encoding: 'utf8' })
  const folder = join(tmpdir(), `svc-build-${hash.slice(0, 12)}`)
  const entry = join(folder, 'apps/server/dist/main.js')
  const done = join(folder, 'apps/server/dist/commit.txt')
  if (existsSync(done)) return entry
  if (!existsSync(folder)) {
    execFileSync('git', ['clone', '--quiet', '--no-checkout', '--shared', ROOT, folder])
    execFileSync('git', ['checkout', '--quiet', '--detach', hash.trim()], { cwd: folder })
  }
  console.log(`building ${commit} in ${folder} …`)
  await new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, ['scripts/bootstrap.mjs', 'build'], { cwd: folder, stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${commit} does not build`))))
  })
  return entry
}

/** The newest tag of a release before this commit. @returns undefined where there is none */
export function findLastRelease(): string | undefined {
  try {
    return execFileSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
