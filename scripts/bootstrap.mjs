// `npm start` and `npm test` from a fresh clone, with only Node and npm: fetches pnpm once, installs and builds changed
// parts, then becomes the server or runs the tests.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createBuildCounter, listNeededPackages } from './build-order.mjs'
import { childEnvironment, findNpm } from './child-environment.mjs'
import { readCommit, writeCommit } from './commit.mjs'
import { pruneInstall } from './prune-install.mjs'
import { parseTestArguments } from './test-arguments.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [command = 'start', ...args] = process.argv.slice(2)
const launchedFrom = process.env.INIT_CWD ?? process.cwd()
const tools = join(root, '.tools')
const stampFile = join(root, 'node_modules', '.svc-stamp.json')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const pnpmVersion = manifest.packageManager.split('@')[1]

const env = childEnvironment(tools)

const sha256 = (parts) =>
  parts.reduce((hash, part) => hash.update(part).update('\0'), createHash('sha256')).digest('hex')
const workspaceFolders = ['packages', 'apps', 'apps/backends', 'examples', '.']
  .flatMap((parent) => (parent === '.' ? ['bench'] : list(join(root, parent)).map((name) => join(parent, name))))
  .filter((folder) => existsSync(join(root, folder, 'package.json')))

function list(folder) {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

function* sourceFiles(folder) {
  for (const name of list(folder)) {
    if (name === 'node_modules' || name === 'dist' || name.startsWith('.')) continue
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* sourceFiles(path)
    else if (!/\.test\.tsx?$/.test(name)) yield path
  }
}

/** The files beside the sources that a build reads. */
const BUILD_FILES = [
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'tsup.config.ts', 'bundle-engine.ts'],
  ...['vite.config.ts', 'index.html'],
]

function stamps() {
  const install = sha256([
    process.versions.modules,
    process.platform,
    process.arch,
    pnpmVersion,
    ...[
      'package.json',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      ...workspaceFolders.map((folder) => join(folder, 'package.json')),
    ]
      .filter((file) => existsSync(join(root, file)))
      .map((file) => readFileSync(join(root, file))),
  ])
  const built = workspaceFolders.flatMap((folder) => [
    ...['src', 'public'].flatMap((part) => [...sourceFiles(join(root, folder, part))]),
    ...BUILD_FILES.map((file) => join(root, folder, file)),
  ])
  const shared = ['tsconfig.base.json', 'tsup.base.ts', 'tsup.program.ts', 'scripts/bundle-licences.ts']
  const files = [...built, ...shared.map((file) => join(root, file)), ...sourceFiles(join(root, 'scripts/licences'))]
    // a package may lack all of its files
    .filter((file) => existsSync(file))
  const build = sha256([
    install,
    readCommit(root),
    ...files.flatMap((file) => [relative(root, file).split(sep).join('/'), readFileSync(file)]),
  ])
  return { install, build }
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return {}
  }
}

function writeStamp(stamp) {
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(`${stampFile}.tmp`, JSON.stringify({ machine, ...stamp }))
  renameSync(`${stampFile}.tmp`, stampFile)
}

const running = new Set()
function stopRunning(signal) {
  for (const child of running) child.kill(signal)
}

function run(file, argv, options = {}) {
  return new Promise((resolve, reject) => {
    const { name = file, onOutput } = options
    const stdio = onOutput === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe']
    const child = spawn(file, argv, { cwd: root, env, stdio })
    running.add(child)
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput)
    child.on('error', reject)
    // not `exit`: the last output comes after it
    child.on('close', (code, signal) => {
      running.delete(child)
      if (code === 0) resolve()
      else
        reject(
          Object.assign(new Error(`${name} ended with ${signal ?? `code ${code}`}`), {
            code: code ?? 1,
          }),
        )
    })
  })
}

const say = (text) => process.stderr.write(`${text}\n`)
const pnpm = () => join(tools, 'node_modules/pnpm/bin/pnpm.cjs')

async function ensurePnpm() {
  const own = join(tools, 'node_modules/pnpm/package.json')
  if (existsSync(own) && JSON.parse(readFileSync(own, 'utf8')).version === pnpmVersion) return
  say(`fetching pnpm ${pnpmVersion} …`)
  const npm = findNpm()
  const argv = [
    'install',
    '--prefix',
    tools,
    `pnpm@${pnpmVersion}`,
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  await (npm ? run(process.execPath, [npm, ...argv], { name: 'npm' }) : run('npm', argv))
}

/** Whether the lock file names a native build for this platform; registries may lack some, and pnpm then drops them silently. */
function lockCoversPlatform() {
  const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
  return (
    lock.includes(`@esbuild/${process.platform}-${process.arch}@`) &&
    lock.includes(
      `@turbo/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch === 'x64' ? '64' : process.arch}@`,
    )
  )
}

const machine = `${process.platform}-${process.arch}`

/** Removes a pruned installation (for `start`) before tests or on another machine, because pnpm restores no files. */
function dropPruned(scope) {
  const before = readStamp()
  const isFit = before.machine === machine && (before.scope === 'all' || scope === 'run')
  if (before.install !== undefined && !isFit) rmSync(join(root, 'node_modules'), { recursive: true, force: true })
}

async function install(scope) {
  dropPruned(scope)
  const lock = lockCoversPlatform()
  if (!lock) say(`the lock file names no builds for ${process.platform}-${process.arch}: repairing it`)
  const flags = [
    lock ? '--frozen-lockfile' : '--fix-lockfile',
    '--reporter=append-only',
    ...(scope === 'run' ? ['--prod', ...listStartFilters()] : []),
  ]
  say('installing dependencies …')
  await run(process.execPath, [pnpm(), 'install', ...flags], { name: 'pnpm install' })
  if (scope === 'run') pruneInstall(root)
}

/** The tools of the workspace and the packages that a start builds: without packages of tests, such as a database. */
function listStartFilters() {
  const names = [manifest.name, ...listNeededPackages('@svc/server', readManifests())]
  return names.map((name) => `--filter=${name}`)
}

/** Manifests of the workspace by package name. */
function readManifests() {
  return new Map(
    workspaceFolders
      .map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))
      .map((each) => [each.name, each]),
  )
}

/** Builds the packages for a start, or all; prints a line for each package, or a counter on a terminal. */
async function build(scope) {
  const manifests = readManifests()
  const names = scope === 'run' ? listNeededPackages('@svc/server', manifests) : [...manifests.keys()]
  const wanted = names.filter((name) => manifests.get(name).scripts?.build !== undefined)
  const counter = createBuildCounter({ total: wanted.length, out: process.stderr })
  const turbo = join(root, 'node_modules/turbo/bin/turbo')
  const filters = wanted.map((name) => `--filter=${name}`)
  // This reads the full log, without showing it, for finished packages. Packages for tests only are not built.
  const argv = [turbo, 'run', 'build', '--only', ...filters, '--output-logs=full', '--log-order=stream', '--no-color']
  try {
    await run(process.execPath, argv, { name: 'the build', onOutput: (text) => counter.read(text) })
  } catch (error) {
    counter.showLog()
    throw error
  }
  counter.end()
  writeCommit(root)
}

async function prepare(scope) {
  const wanted = stamps()
  const stamp = readStamp()
  const serves = (has) => scope === 'run' || has === 'all'
  const installed = stamp.install === wanted.install && serves(stamp.scope)
  if (installed && stamp.build === wanted.build && serves(stamp.built)) return
  await ensurePnpm()
  // A full install also serves `start`: never go back from all to run.
  const nextScope = stamp.scope === 'all' ? 'all' : scope
  if (!installed) {
    await install(nextScope)
    writeStamp({ install: stamps().install, scope: nextScope })
  }
  await build(scope)
  writeStamp({ ...stamps(), scope: nextScope, built: scope })
}

async function main() {
  const onSignal = (signal) => {
    stopRunning(signal)
    process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  if (command === 'start') {
    await prepare('run')
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    delete process.env.NODE_OPTIONS
    process.chdir(launchedFrom)
    const entry = join(root, 'apps/server/dist/main.js')
    process.argv.splice(1, process.argv.length - 1, entry, 'run', ...args)
    // The same process: signals and exit code are the server's own.
    await import(pathToFileURL(entry).href)
    return
  }
  if (command === 'test') {
    await prepare('all')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    await run(process.execPath, [vitest, ...parseTestArguments(args, { isTerminal: process.stdout.isTTY === true })], {
      name: 'the tests',
    })
    return
  }
  if (command === 'build') {
    await prepare(args.includes('--all') ? 'all' : 'run')
    return
  }
  say(`unknown command ${command}: start, test or build`)
  process.exitCode = 2
}

main().catch((error) => {
  say(`${error.message}`)
  process.exit(error.code ?? 1)
})
