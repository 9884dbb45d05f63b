import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { PackageRegistry, RegisteredPackage } from './package-registry.ts'

/** Options of {@link packAndInstall}. */
export interface PackOptions {
  /** Names of workspace packages; their workspace dependencies are installed too. */
  readonly packages: readonly [string, ...string[]]
  /** Packages of others that a user would install beside the first one, in the versions it is developed with. */
  readonly besides?: readonly string[] | undefined
  /** An empty folder. */
  readonly dir: string
  /** Folder of the tarballs; tarballs of earlier calls are used again. @default a folder below `dir` */
  readonly tarballs?: string | undefined
}

/** Outcome of a program. */
export interface ProgramOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder in which packages are installed as their users install them. */
export interface PackedInstallation {
  readonly dir: string
  /** Names of all workspace packages that are installed. */
  readonly packages: readonly string[]
  /** Runs a program (ECMAScript module source) in the folder with plain Node. */
  run(source: string): Promise<ProgramOutcome>
}

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>> | undefined
}

interface WorkspacePackage extends Manifest {
  readonly folder: string
}

const TIMEOUT_MS = 240_000

/**
 * Packs workspace packages as for publishing, without types, installs the tarballs with npm in an empty folder and returns a way to
 * run programs there. Builds packages that are not built yet. Dependencies outside the workspace come from npm's cache
 * or registry. Install scripts do not run.
 */
export async function packAndInstall(options: PackOptions): Promise<PackedInstallation> {
  const { packages, besides = [], dir, tarballs = join(dir, 'tarballs') } = options
  const root = findWorkspaceRoot(import.meta.dirname)
  const workspace = await readWorkspace(root)
  const wanted = withDependencies(workspace, packages)
  const app = join(dir, 'app')
  await mkdir(tarballs, { recursive: true })
  await mkdir(app, { recursive: true })
  const dependencies: Record<string, string> = {}
  for (const workspacePackage of wanted) {
    dependencies[workspacePackage.name] = `file:${await pack(root, workspacePackage, tarballs)}`
  }
  for (const name of besides) {
    dependencies[name] = await readVersion(join(find(workspace, packages[0]).folder, 'node_modules', name))
  }
  const overrides = Object.fromEntries(wanted.map(({ name }) => [name, `$${name}`]))
  const manifest = { name: 'user-of-packages', private: true, type: 'module', dependencies, overrides }
  await writeFile(join(app, 'package.json'), JSON.stringify(manifest, null, 2))
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error']
  await mustSucceed('npm', ['install', ...flags], app)
  let programs = 0
  return {
    dir: app,
    packages: wanted.map(({ name }) => name),
    async run(source) {
      programs += 1
      const file = join(app, `program-${programs}.mjs`)
      await writeFile(file, source)
      return run(process.execPath, [file], app)
    },
  }
}

/**
 * Packs a package as for publishing.
 *
 * @param target the folder of the tarball, which is made when it is missing
 * @param from its name in the workspace, or a folder with a package
 */
export async function packPackage(target: string, from: string): Promise<RegisteredPackage> {
  await mkdir(target, { recursive: true })
  const root = findWorkspaceRoot(import.meta.dirname)
  const { name, folder } = isAbsolute(from)
    ? { folder: from, ...(await readManifest(from)) }
    : find(await readWorkspace(root), from)
  const tarball = await pack(root, { name, folder }, target)
  const { code, stdout, stderr } = await run('tar', ['-xzOf', tarball, 'package/package.json'], target)
  if (code !== 0) throw new Error(stderr)
  const manifest: unknown = JSON.parse(stdout)
  if (!isVersioned(manifest)) throw new Error(`no name and version in ${tarball}`)
  return { manifest, tarball }
}

/** Options of {@link installGlobally}. */
export interface GlobalInstallOptions {
  /** The command as documented, such as `npm install -g NAME`. */
  readonly command: string
  /** An empty folder. */
  readonly prefix: string
  /** Registry of the packages of this workspace; others come from npm's own registry or cache. */
  readonly registry: PackageRegistry
}

/**
 * Runs a documented command that installs programs for all users, with another place for them.
 *
 * @returns the folder with the installed packages
 */
export async function installGlobally({ command, prefix, registry }: GlobalInstallOptions): Promise<string> {
  const [npm = '', ...args] = command.split(' ')
  const flags = ['--prefix', prefix, `--@svc:registry=${registry.url}`, '--prefer-offline', '--loglevel=error']
  await mustSucceed(npm, [...args, ...flags, '--no-audit', '--no-fund'], prefix)
  return join(prefix, process.platform === 'win32' ? 'node_modules' : 'lib/node_modules')
}

/** Code blocks of a Markdown text in a language such as `ts`, in order. */
export function listCodeBlocks(markdown: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')
  return [...markdown.matchAll(fence)].map((match) => match[1] ?? '')
}

/** The README of a workspace package. */
export async function readReadme(packageName: string): Promise<string> {
  const workspace = await readWorkspace(findWorkspaceRoot(import.meta.dirname))
  return readFile(join(find(workspace, packageName).folder, 'README.md'), 'utf8')
}

function findWorkspaceRoot(start: string): string {
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder
  }
  throw new Error('not inside a workspace')
}

async function readWorkspace(root: string): Promise<Map<string, WorkspacePackage>> {
  const workspace = new Map<string, WorkspacePackage>()
  for (const parent of ['packages', 'apps', 'apps/backends']) {
    const names = await readdir(join(root, parent)).catch(() => [])
    for (const name of names) {
      const folder = join(root, parent, name)
      const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
      if (text === undefined) continue
      const manifest: unknown = JSON.parse(text)
      if (isManifest(manifest)) workspace.set(manifest.name, { ...manifest, folder })
    }
  }
  return workspace
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
}

function find(workspace: ReadonlyMap<string, WorkspacePackage>, name: string): WorkspacePackage {
  const found = workspace.get(name)
  if (found === undefined) throw new Error(`no workspace package ${name}`)
  return found
}

/** The packages with their workspace dependencies, dependencies first. */
function withDependencies(
  workspace: ReadonlyMap<string, WorkspacePackage>,
  names: readonly string[],
): readonly WorkspacePackage[] {
  const ordered = new Set<WorkspacePackage>()
  const visit = (name: string) => {
    const workspacePackage = find(workspace, name)
    for (const [dependency, range] of Object.entries(workspacePackage.dependencies ?? {})) {
      if (range.startsWith('workspace:')) visit(dependency)
    }
    ordered.add(workspacePackage)
  }
  names.forEach(visit)
  return [...ordered]
}

function isVersioned(value: unknown): value is RegisteredPackage['manifest'] {
  return isManifest(value) && 'version' in value && typeof value.version === 'string'
}

async function readManifest(folder: string): Promise<RegisteredPackage['manifest']> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (!isVersioned(manifest)) throw new Error(`no name and version in ${folder}`)
  return manifest
}

/** The version of an installed package. */
async function readVersion(folder: string): Promise<string> {
  return (await readManifest(folder)).version
}

/** Packs one package, unless its tarball is there already, and returns the tarball's path. */
async function pack(
  root: string,
  { name, folder }: Pick<WorkspacePackage, 'name' | 'folder'>,
  target: string,
): Promise<string> {
  const bin = [join(root, '.tools', 'node_modules', '.bin'), join(root, 'node_modules', '.bin')].join(delimiter)
  if (folder.startsWith(root) && !existsSync(join(folder, 'dist'))) await mustSucceed('tsup', [], folder, bin)
  const tarball = join(target, `${name.replace('@', '').replace('/', '-')}-${await readVersion(folder)}.tgz`)
  // the declarations that its script would make take longer than all the rest, and no program needs them
  const flags = ['--config.ignore-scripts=true', '--pack-destination', target]
  if (!existsSync(tarball)) await mustSucceed('pnpm', ['pack', ...flags], folder, bin)
  return tarball
}

async function mustSucceed(command: string, args: readonly string[], cwd: string, bin?: string): Promise<void> {
  const { code, stdout, stderr } = await run(command, args, cwd, bin)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${stdout}\n${stderr}`)
}

/** Runs a program without the variables of the test's environment that change Node or npm. */
function run(command: string, args: readonly string[], cwd: string, bin?: string): Promise<ProgramOutcome> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_(ENV|OPTIONS|PATH|V8_COVERAGE)$|VITEST|npm_(lifecycle|package)_)/.test(name),
  )
  const env: NodeJS.ProcessEnv = Object.fromEntries(inherited)
  if (bin !== undefined) env.PATH = `${bin}${delimiter}${env.PATH ?? ''}`
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout, stderr: error === null || stderr !== '' ? stderr : error.message })
    })
  })
}
