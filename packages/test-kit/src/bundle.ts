import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'

/** Content of a program that imports an entry of a package. */
export interface EntryBundle {
  /** Absolute paths of the modules with any code left in it, parts that load late included. */
  readonly modules: readonly string[]
  /** Modules outside of the bundle that it still imports at run time. */
  readonly imports: readonly unknown[]
  /** Of the minified bundle, uncompressed, without the parts that load late. */
  readonly sizeBytes: number
  /** Of the parts that load late. */
  readonly lateBytes: number
}

interface Metafile {
  readonly outputs: Readonly<Record<string, BundledFile>>
}

interface BundleOptions {
  readonly tsconfig?: string
  readonly minify?: boolean
  readonly metafile?: boolean
  readonly splitting?: boolean
  readonly conditions?: string[]
}

interface BundledFile {
  readonly entryPoint?: string
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
  readonly bytes: number
}

/**
 * Bundles an entry for a browser with all its dependencies, from the sources of the workspace.
 *
 * @param options.entry absolute path of the module @param options.tsconfig absolute path @throws when the entry needs a
 *   module of Node
 */
export async function bundleEntry({
  entry,
  tsconfig,
}: {
  readonly entry: string
  readonly tsconfig: string
}): Promise<EntryBundle> {
  const outDir = await mkdtemp(join(tmpdir(), 'svc-bundle-'))
  try {
    await bundle({ entry, tsconfig, outDir, minify: true, metafile: true })
    const metafile = await readFile(join(outDir, 'metafile-esm.json'), 'utf8')
    const { outputs } = JSON.parse(metafile) as Metafile
    const files = Object.entries(outputs).filter(([path]) => path.endsWith('.js'))
    const parts = files.flatMap(([, { inputs }]) => Object.entries(inputs))
    const first = files.find(([path]) => basename(path) === 'entry.js')?.[0] ?? ''
    const early = listEarly(outputs, first)
    const sizeOf = (paths: readonly string[]) => paths.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)
    return {
      modules: parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(path)),
      imports: files.flatMap(([, { imports }]) => imports).filter(({ path }) => !Object.hasOwn(outputs, path)),
      sizeBytes: sizeOf([...early]),
      lateBytes: sizeOf(files.map(([path]) => path).filter((path) => !early.has(path))),
    }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/**
 * Bundles the script of a page with all its dependencies.
 *
 * @param entry absolute path of the module
 * @param options.isInstalled whether it imports packages as their users have them, built
 * @returns one module, without imports
 */
export async function bundlePage(
  entry: string,
  { isInstalled = false }: { readonly isInstalled?: boolean } = {},
): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'svc-bundle-'))
  try {
    await bundle({ entry, outDir, splitting: false, conditions: isInstalled ? [] : ['@svc/source'] })
    return await readFile(join(outDir, 'entry.js'), 'utf8')
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/** Bundles for a browser. */
async function bundle({
  entry,
  conditions = ['@svc/source'],
  ...options
}: { readonly entry: string; readonly outDir: string } & BundleOptions) {
  // Imported here: esbuild refuses to load where tests run in a document.
  const { build } = await import('tsup')
  await build({
    config: false,
    silent: true,
    entry: { entry },
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    treeshake: true,
    noExternal: [/.*/],
    outExtension: () => ({ js: '.js' }),
    esbuildOptions(options) {
      options.conditions = conditions
    },
    ...options,
  })
}

/** The files of a bundle that load with its entry: all but the files behind `import()`. */
function listEarly(outputs: Metafile['outputs'], first: string): ReadonlySet<string> {
  const early = new Set([first])
  for (const path of early) {
    for (const { path: other, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import' && Object.hasOwn(outputs, other)) early.add(other)
    }
  }
  return early
}
