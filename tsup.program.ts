import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Options } from 'tsup'
import { collectLicences } from './scripts/bundle-licences.ts'
import { base } from './tsup.base.ts'

export type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * The build of a program: everything it imports in one bundle, so that Node resolves and reads few files at its start. A
 * module that is only imported with `import()` gets a file of its own and is compiled when it is first used. The bundle
 * reads the sources of the workspace, so no build needs the output of another.
 *
 * The packages that the manifest names in `svc.outsideBundle`, and those that are optional, stay outside: they have native
 * parts, data files or a program of their own. A native engine in `svc.builds` is bundled without its builds.
 *
 * @param entry the program (`main`), its threads and its child programs, by the names of their files
 * @param plugins of the bundler, for packages that cannot be bundled as they are
 */
export function program(entry: Record<string, string>, plugins: readonly EsbuildPlugin[] = []): Options {
  const outside = listOutside().join('|')
  return {
    ...base(entry),
    // tsup keeps only the dependencies of the manifest outside by itself
    external: [new RegExp(`^(?:${outside})(?:/|$)`)],
    // esbuild drops unused exports; a second pass by Rollup takes long for a whole program
    treeshake: false,
    noExternal: [new RegExp(`^(?!(?:${outside})(?:/|$))`)],
    // what packages in CommonJS need inside of an ES module
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    esbuildOptions(options) {
      options.sourcesContent = false
      options.conditions = ['@svc/source', 'module']
      options.legalComments = 'none'
      // The engine holds the text of a file for as long as the program runs, and one character beyond Latin-1, also in a
      // comment, makes it hold two bytes for each character. Names stay, for stack traces.
      options.charset = 'ascii'
      options.minifyWhitespace = true
      options.lineLimit = 120
      // a library of the workspace finds its optional peers, such as drizzle-orm, where the program has them
      options.nodePaths = [resolve('node_modules')]
    },
    esbuildPlugins: [...plugins, oneStart(entry), licences()],
  }
}

interface Manifest {
  readonly svc: {
    readonly outsideBundle: readonly string[]
    /** Native engines whose code is bundled, with the packages of their builds. */
    readonly builds?: Readonly<Record<string, readonly string[]>>
  }
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Packages that are not bundled. */
function listOutside(): string[] {
  const { svc, optionalDependencies = {} }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const { outsideBundle, builds = {} } = svc
  const optional = Object.keys(optionalDependencies).filter((name) => !(name in builds))
  // only a server that runs from its sources loads tsx
  return [...outsideBundle, ...optional, 'tsx']
}

/**
 * Puts everything that a program loads at its start into one file. esbuild makes a file for each set of modules that the
 * same late modules share; so each late module is made to import the whole start, which is loaded by then.
 */
function oneStart({ main = '', ...others }: Record<string, string>): EsbuildPlugin {
  return {
    name: 'one-start',
    setup(build) {
      const start = resolve(main)
      const otherPrograms = new Set(Object.values(others).map((file) => resolve(file)))
      build.onResolve({ filter: /.*/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === start || otherPrograms.has(importer)) return undefined
        const late = await build.resolve(path, { importer, resolveDir, kind, pluginData: start })
        return late.external || late.errors.length > 0 ? late : { path: late.path, namespace: 'late' }
      })
      build.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
        contents: `import ${JSON.stringify(start)}\nexport * from ${JSON.stringify(path)}`,
        resolveDir: dirname(path),
      }))
    },
  }
}

/** Writes the licence texts of the bundled packages into `dist/THIRD-PARTY-LICENSES.txt`. */
function licences(): EsbuildPlugin {
  return {
    name: 'licences',
    setup(build) {
      build.onEnd(({ metafile, outputFiles }) => {
        const text = collectLicences(Object.keys(metafile?.inputs ?? {}))
        const path = join(build.initialOptions.outdir ?? 'dist', 'THIRD-PARTY-LICENSES.txt')
        outputFiles?.push({ path, contents: Buffer.from(text), hash: '', text })
      })
    },
  }
}
