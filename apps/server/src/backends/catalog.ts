import { stat } from 'node:fs/promises'
import { dirname, resolve as resolvePath } from 'node:path'
import type { Logger } from '../ports.ts'
import { isLlama, runsLanguage, runsModels, toCanonicalBackend } from './backend-names.ts'
import type { InProcessHandlers } from './in-process/client.ts'
import { type BuildFamily, type InstalledBackends, readInstalledBackends } from './installed-backends.ts'

/** A way to reach a backend: a program that this server starts, an address, or functions of this process. */
export type BackendProgram =
  | {
      readonly kind: 'spawn'
      readonly name: string
      /** Absolute path of the executable. */
      readonly command: string
      /** Arguments before `--addr`; for Node programs the options of the runtime come first. */
      readonly args: readonly string[]
      readonly cwd: string
      /** `unix` for shipped backends, which listen on a socket file; `tcp` for all others. */
      readonly transport: 'unix' | 'tcp'
      readonly env?: Readonly<Record<string, string>> | undefined
    }
  | { readonly kind: 'attach'; readonly name: string; readonly address: string }
  | {
      readonly kind: 'in-process'
      readonly name: string
      /** Creates the handlers of one model. */
      readonly createHandlers: InProcessBackend
    }

/** Creates the handlers of one model that this process serves itself. */
export type InProcessBackend = () => InProcessHandlers | Promise<InProcessHandlers>

/** A shipped backend, a Node program. */
export interface BuiltInBackend {
  /** Absolute path of its main file. */
  readonly entry: string
  /** Options of the Node runtime; none are inherited. */
  readonly execArgv: readonly string[]
}

/** Finds backends by name. */
export interface BackendCatalog {
  /** Lists every name that resolves, in lower case, sorted (§4.4). */
  names(): readonly string[]
  /** Gives the program of a name in any case: external before installed before built in (§2.9, `backend`). */
  resolve(name: string): BackendProgram | undefined
  /**
   * Lists the programs to try for a model whose file names no backend, best first. For GGUF weights: programs that run
   * language models, `llama` and `llama-cpp` first. For other weights: everything installed that runs models.
   */
  candidates(options: { readonly isGguf: boolean }): readonly BackendProgram[]
  /** Replaces the external backends: name → file to run, `host:port` or `unix:/path` to attach. */
  setExternal(external: Readonly<Record<string, string>>): Promise<void>
  /** Reads the backends folders again. */
  refresh(): Promise<void>
}

/** Options of {@link createBackendCatalog}. */
export interface BackendCatalogOptions {
  /** Folders of installed backends; a name in an earlier one takes precedence. */
  readonly folders: readonly string[]
  readonly builtIn: Readonly<Record<string, BuiltInBackend>>
  /** Backends without a process; a built-in program of the same name takes precedence. @default none */
  readonly inProcess?: Readonly<Record<string, InProcessBackend>> | undefined
  readonly external: Readonly<Record<string, string>>
  readonly logger: Logger
  /** @default 'default' */
  readonly buildFamily?: BuildFamily | undefined
}

const NODE_FILE = /\.[cm]?js$/
const HOST_AND_PORT = /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253}):([1-9]\d{0,4})$/

/** Creates a catalog and reads the installed backends. */
export async function createBackendCatalog(options: BackendCatalogOptions): Promise<BackendCatalog> {
  const { logger } = options
  const inProcess = new Map(Object.entries(options.inProcess ?? {}))
  const builtIn = new Map(Object.entries(options.builtIn).map(([name, program]) => [name.toLowerCase(), program]))
  let installed: InstalledBackends = { backends: new Map(), problems: [] }
  let external = new Map<string, BackendProgram>()
  let externalUris = options.external

  const read = async () => {
    const [folders, programs] = await Promise.all([
      readInstalledBackends(options.folders, options.buildFamily ?? 'default'),
      readExternal(externalUris, logger),
    ])
    for (const problem of folders.problems) logger.warn({ ...problem }, 'backend folder cannot be used')
    installed = folders
    external = programs
  }
  // Reads one after the other: a slow earlier reading must not overwrite a later one.
  let reading: Promise<void> = Promise.resolve()
  const refresh = () => {
    reading = reading.then(read)
    return reading
  }
  const fromInstalled = (key: string): BackendProgram | undefined => {
    const found = installed.backends.get(key)
    return found && { kind: 'spawn', name: key, command: found.runFile, args: [], cwd: found.folder, transport: 'tcp' }
  }
  const fromBuiltIn = (key: string): BackendProgram | undefined => {
    const found = builtIn.get(key)
    if (found === undefined) return undefined
    const args = [...found.execArgv, found.entry]
    return { kind: 'spawn', name: key, command: process.execPath, args, cwd: dirname(found.entry), transport: 'unix' }
  }
  const fromThisProcess = (name: string): BackendProgram | undefined => {
    const createHandlers = inProcess.get(name)
    return createHandlers && { kind: 'in-process', name, createHandlers }
  }

  const resolve = (name: string): BackendProgram | undefined => {
    const keys = [...new Set([name.toLowerCase(), toCanonicalBackend(name).name])]
    for (const source of [(key: string) => external.get(key), fromInstalled, fromBuiltIn, fromThisProcess]) {
      for (const key of keys) {
        const program = source(key)
        if (program !== undefined) return program
      }
    }
    return undefined
  }

  await refresh()
  return {
    names() {
      const all = [external, installed.backends, builtIn, inProcess].flatMap((source) => [...source.keys()])
      return [...new Set(all)].sort()
    },
    resolve,
    candidates({ isGguf }) {
      const others = [...new Set([...external.keys(), ...installed.backends.keys()])].sort()
      const programs = isGguf
        ? [
            resolve('llama'),
            ...[...builtIn.keys()].filter(isLlama).map(fromBuiltIn),
            ...others.filter(runsLanguage).map(resolve),
          ]
        : others.filter(runsModels).map(resolve)
      return distinctPrograms(programs)
    },
    setExternal(next) {
      externalUris = next
      return refresh()
    },
    refresh,
  }
}

/**
 * Lists each program once, without addresses: a backend at an address has a model of its own and loads another one only
 * on request.
 */
function distinctPrograms(programs: readonly (BackendProgram | undefined)[]): BackendProgram[] {
  const found = new Map<string, BackendProgram>()
  for (const program of programs) {
    if (program?.kind !== 'spawn') continue
    const key = JSON.stringify([program.command, program.args])
    if (!found.has(key)) found.set(key, program)
  }
  return [...found.values()]
}

async function readExternal(
  uris: Readonly<Record<string, string>>,
  logger: Logger,
): Promise<Map<string, BackendProgram>> {
  const programs = new Map<string, BackendProgram>()
  for (const [name, uri] of Object.entries(uris)) {
    const program = await toExternalProgram(name.toLowerCase(), uri)
    if (program === undefined) logger.warn({ backend: name, uri }, 'external backend is neither a file nor an address')
    else programs.set(name.toLowerCase(), program)
  }
  return programs
}

async function toExternalProgram(name: string, uri: string): Promise<BackendProgram | undefined> {
  const file = resolvePath(uri)
  if (
    await stat(file).then(
      (found) => found.isFile(),
      () => false,
    )
  ) {
    const isNode = NODE_FILE.test(file)
    return {
      kind: 'spawn',
      name,
      command: isNode ? process.execPath : file,
      args: isNode ? [file] : [],
      cwd: dirname(file),
      transport: 'tcp',
    }
  }
  return isAddress(uri) ? { kind: 'attach', name, address: uri } : undefined
}

function isAddress(uri: string): boolean {
  if (uri.startsWith('unix:')) return uri.startsWith('unix:/')
  const port = HOST_AND_PORT.exec(uri)?.[2]
  return port !== undefined && Number(port) <= 65_535
}
