import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FOLDER_PREFIX, findLeftovers } from './guard-leftovers.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PNPM = join(ROOT, '.tools/node_modules/pnpm/bin/pnpm.cjs')
/** Most characters of a command's output that are kept to show after a failure. */
const MAX_OUTPUT = 4000
/** Time that a command has to end by itself. */
const END_MS = 10_000

/** Finds a commit. @throws {Error} where this repository does not have it */
export function findCommit(revision: string): string {
  try {
    const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
    return git(argv).trim()
  } catch {
    throw new Error(`this repository has no commit ${JSON.stringify(revision)}: give another with --base`)
  }
}

/** Builds this checkout where its sources have changed since its last build. */
export async function buildCheckout(signal: AbortSignal): Promise<void> {
  await run('the build', [join(ROOT, 'scripts/bootstrap.mjs'), 'build'], { cwd: ROOT, signal })
}

/** The built server of a commit in a worktree of its own. */
export interface BaseBuild {
  readonly entry: string
  /** Removes the worktree. */
  remove(): void
}

/**
 * Builds the server of a commit in a temporary worktree, with the packages of its lock file. It asks no registry: a
 * package that is not in pnpm's store is an error.
 */
export async function buildBase(commit: string, signal: AbortSignal): Promise<BaseBuild> {
  removeLeftovers()
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`))
  const worktree = join(folder, 'checkout')
  const remove = (): void => {
    process.off('exit', remove)
    removeWorktree(folder)
  }
  process.once('exit', remove)
  try {
    git(['worktree', 'add', '--quiet', '--detach', worktree, commit])
    const install = ['--frozen-lockfile', '--offline', '--config.manage-package-manager-versions=false']
    await run('the installation', [PNPM, 'install', ...install], { cwd: worktree, signal })
    const turbo = join(worktree, 'node_modules/turbo/bin/turbo')
    const cache = ['--cache=local:r', `--cache-dir=${join(ROOT, '.turbo/cache')}`]
    const filters = listBuilt(worktree).map((name) => `--filter=${name}`)
    await run('the build', [turbo, 'run', 'build', ...filters, ...cache], { cwd: worktree, signal })
  } catch (error) {
    remove()
    throw error
  }
  return { entry: join(worktree, 'apps/server/dist/main.js'), remove }
}

/** The packages of the workspace that are outside of the server's bundle, and those that its build takes in. */
function listBuilt(worktree: string): readonly string[] {
  const { name, svc = {} }: { name: string; svc?: { outsideBundle?: string[]; ships?: string[] } } = JSON.parse(
    readFileSync(join(worktree, 'apps/server/package.json'), 'utf8'),
  )
  const outside = (svc.outsideBundle ?? []).filter((each) => each.startsWith('@svc/'))
  return [name, ...outside, ...(svc.ships ?? [])]
}

/** Removes what runs have left that were killed. */
function removeLeftovers(): void {
  const isRunning = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'EPERM'
    }
  }
  for (const folder of findLeftovers(git(['worktree', 'list', '--porcelain']), { isRunning })) removeWorktree(folder)
}

function removeWorktree(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  git(['worktree', 'prune'])
}

function git(argv: readonly string[]): string {
  return execFileSync('git', argv, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs a Node program in a process group of its own, which ends as a whole. */
async function run(
  name: string,
  argv: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted()
  const env = { ...process.env, CI: 'true', NO_COLOR: '1', TURBO_TELEMETRY_DISABLED: '1' }
  const child = spawn(process.execPath, argv, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT)
    })
  }
  const kill = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // the group has ended
    }
  }
  const killNow = (): void => kill('SIGKILL')
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    kill('SIGTERM')
    timer = setTimeout(killNow, END_MS)
  }
  signal.addEventListener('abort', end, { once: true })
  process.once('exit', killNow)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve)
    })
    signal.throwIfAborted()
    if (code !== 0) throw new Error(`${name} in ${cwd} ended with ${code ?? 'a signal'}:\n${output}`)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    process.off('exit', killNow)
  }
}
