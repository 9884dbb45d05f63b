import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'tsup'

/** Content of a program that imports an entry of a package. */
export interface EntryBundle {
  /** Absolute paths of the modules with any code left in it. */
  readonly modules: readonly string[]
  /** Modules that it still imports at run time. */
  readonly imports: readonly unknown[]
  /** Of the minified bundle, uncompressed. */
  readonly sizeBytes: number
}

interface Metafile {
  readonly outputs: Readonly<Record<string, BundledFile>>
}

interface BundledFile {
  readonly imports: readonly unknown[]
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
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
    await build({
      config: false,
      silent: true,
      entry: { entry },
      tsconfig,
      format: 'esm',
      target: 'es2022',
      platform: 'browser',
      metafile: true,
      minify: true,
      treeshake: true,
      noExternal: [/.*/],
      outDir,
      esbuildOptions(options) {
        options.conditions = ['@svc/source']
      },
    })
    const metafile = await readFile(join(outDir, 'metafile-esm.json'), 'utf8')
    const outputs = Object.values((JSON.parse(metafile) as Metafile).outputs)
    const parts = outputs.flatMap(({ inputs }) => Object.entries(inputs))
    return {
      modules: parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(path)),
      imports: outputs.flatMap(({ imports }) => imports),
      sizeBytes: (await stat(join(outDir, 'entry.js'))).size,
    }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}
