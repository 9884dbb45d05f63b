// Runs before a library is packed (`prepack`), so that its tarball always holds its build and the types that its
// `exports` name: it makes what is missing, or older than the sources.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = Object.values(manifest.exports).filter((entry) => entry.types !== undefined)

/** What it prints goes to the error stream: with `--json` pnpm prints a document. */
const run = (program, ...args) =>
  execFileSync(process.execPath, [join(root, program), ...args], { stdio: ['ignore', 2, 'inherit'] })

const newest = readdirSync('src', { recursive: true })
  .filter((file) => /(?<!\.test)\.m?[jt]s$/.test(file))
  .reduce((latest, file) => Math.max(latest, statSync(join('src', file)).mtimeMs), 0)

/** Whether the files that the exports name under a condition are there, and as new as the sources. */
const isReady = (condition) =>
  entries.every((entry) => existsSync(entry[condition]) && statSync(entry[condition]).mtimeMs >= newest)

if (!isReady('default')) run('node_modules/tsup/dist/cli-default.js')
if (!isReady('types')) {
  run('node_modules/tsgo/bin/tsc', '-b', '.')
  run('node_modules/tsup/dist/cli-default.js', '--dts-only')
}
const missing = entries.flatMap((entry) => [entry.default, entry.types]).filter((file) => !existsSync(file))
if (missing.length > 0) throw new Error(`${manifest.name} would be packed without ${missing.join(', ')}`)
