// What a published package must pass, on its packed tarball: publint (strict) and are-the-types-wrong (ESM only).
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'svc-pack-'))
const run = (command, args) => execFileSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
try {
  run('pnpm', ['pack', '--pack-destination', folder])
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (!tarball) throw new Error('pnpm pack made no tarball')
  const path = join(folder, tarball)
  console.log(run('publint', ['run', path, '--strict']))
  console.log(run('attw', [path, '--profile', 'esm-only', '--no-color', '--no-emoji']))
} catch (error) {
  if (error.stdout) console.error(error.stdout)
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
