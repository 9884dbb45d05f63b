import { access, chmod, constants, lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const MAX_METADATA_BYTES = 1024 * 1024

/** The `run.sh` of an installed backend. */
export interface InstalledBackend {
  readonly runFile: string
  readonly folder: string
}

/** Hardware that this machine computes on; decides which build an alias resolves to. */
export type BuildFamily = 'nvidia' | 'amd' | 'intel' | 'metal' | 'darwin-x86' | 'vulkan' | 'default'

/** Words in folder names, best first. */
const BUILD_TAGS: Readonly<Record<BuildFamily, readonly string[]>> = {
  nvidia: ['cuda', 'vulkan', 'cpu'],
  amd: ['rocm', 'hip', 'vulkan', 'cpu'],
  intel: ['sycl', 'intel', 'cpu'],
  metal: ['metal', 'cpu'],
  'darwin-x86': ['darwin-x86', 'cpu'],
  vulkan: ['vulkan', 'cpu'],
  default: ['cpu'],
}

interface FolderEntry {
  readonly folderName: string
  readonly folder: string
  readonly runFile: string | undefined
  readonly name: string
  readonly alias: string | undefined
  readonly metaBackendFor: string | undefined
}

/** An unusable entry of a backends folder. */
export interface BackendFolderProblem {
  readonly folder: string
  readonly reason: string
}

/** The installed backends of one or more folders by lower-case name. */
export interface InstalledBackends {
  readonly backends: ReadonlyMap<string, InstalledBackend>
  readonly problems: readonly BackendFolderProblem[]
}

/**
 * Reads the installed backends: one folder for each backend with an executable `run.sh`, named by its `metadata.json`
 * or else by the folder. A folder with only metadata may point at another one by `meta_backend_for`; folders may share
 * an `alias`.
 *
 * @param folders folders of backends; a name in an earlier one takes precedence
 * @param family decides which build a shared alias resolves to
 */
export async function readInstalledBackends(
  folders: readonly string[],
  family: BuildFamily,
): Promise<InstalledBackends> {
  const problems: BackendFolderProblem[] = []
  const backends = new Map<string, InstalledBackend>()
  for (const parent of folders) {
    const entries: FolderEntry[] = []
    for (const folderName of (await readdir(parent).catch(() => [])).sort()) {
      const entry = await readFolder(parent, folderName, problems)
      if (entry !== undefined) entries.push(entry)
    }
    for (const [name, installed] of nameFolders(entries, family)) {
      if (!backends.has(name)) backends.set(name, installed)
    }
  }
  return { backends, problems }
}

/** Assigns names by precedence: a folder's own, then targets of meta folders, then shared aliases. */
function nameFolders(entries: readonly FolderEntry[], family: BuildFamily): Map<string, InstalledBackend> {
  const named = new Map<string, InstalledBackend>()
  const put = (name: string, entry: FolderEntry | undefined) => {
    if (entry?.runFile === undefined || named.has(name.toLowerCase())) return
    named.set(name.toLowerCase(), { runFile: entry.runFile, folder: entry.folder })
  }
  for (const entry of entries) put(entry.name, entry)
  for (const entry of entries) put(entry.folderName, entry)
  for (const entry of entries) {
    // The target must be one of the listed folders and is never joined to a path, because the file is foreign.
    const target = entries.find((other) => other.folderName === entry.metaBackendFor)
    if (entry.metaBackendFor === undefined) continue
    put(entry.name, target)
    put(entry.folderName, target)
  }
  for (const alias of new Set(entries.map((entry) => entry.alias))) {
    if (alias !== undefined) put(alias, preferBuild(entries, alias, family))
  }
  return named
}

function preferBuild(entries: readonly FolderEntry[], alias: string, family: BuildFamily): FolderEntry | undefined {
  const runnable = entries.filter((entry) => entry.alias === alias && entry.runFile !== undefined)
  for (const tag of BUILD_TAGS[family]) {
    const match = runnable.find((entry) => entry.folderName.includes(tag))
    if (match !== undefined) return match
  }
  return runnable[0]
}

async function readFolder(
  parent: string,
  folderName: string,
  problems: BackendFolderProblem[],
): Promise<FolderEntry | undefined> {
  const folder = join(parent, folderName)
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder || folderName.startsWith('.')) return undefined
  const report = (reason: string) => problems.push({ folder, reason })
  const metadata = await readMetadata(join(folder, 'metadata.json'), report)
  const metaBackendFor = readText(metadata, 'meta_backend_for')
  const runFile = join(folder, 'run.sh')
  const isRunnable = await makeExecutable(runFile)
  if (!isRunnable && metaBackendFor === undefined) report('no executable run.sh')
  return {
    folderName,
    folder,
    runFile: isRunnable ? runFile : undefined,
    name: readText(metadata, 'name') ?? folderName,
    alias: readText(metadata, 'alias'),
    metaBackendFor,
  }
}

async function makeExecutable(file: string): Promise<boolean> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) return false
  const mayRun = () =>
    access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
  if (await mayRun()) return true
  // Archives without modes leave the bit unset. A link is not changed, because its target may belong to others.
  if ((await lstat(file)).isSymbolicLink()) return false
  await chmod(file, 0o700).catch(() => undefined)
  return mayRun()
}

async function readMetadata(file: string, report: (reason: string) => void): Promise<Record<string, unknown>> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return {}
  if (!found.isFile() || found.size > MAX_METADATA_BYTES) {
    report('metadata.json is not a file of at most 1 MiB')
    return {}
  }
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value))
  } catch {
    // reported below
  }
  report('metadata.json is not a JSON object')
  return {}
}

function readText(metadata: Record<string, unknown>, key: string): string | undefined {
  const value = metadata[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}
