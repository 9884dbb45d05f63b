import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from 'tsup'
import { base } from './tsup.base.ts'

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/** What a program is built from. */
export interface ProgramParts {
  /** The program, its threads and its child programs, by the names of their files. */
  readonly entry: Record<string, string>
  /** Packages that stay outside, with the packages they import: they have native parts or data files. */
  readonly external: readonly string[]
}

/**
 * The build of a program: everything it imports in one bundle, so that Node resolves and reads few files at its start. A
 * module that is only imported with `import()` gets a file of its own and is compiled when it is first used. The bundle
 * reads the sources of the workspace, so no build needs the output of another.
 */
export function program({ entry, external }: ProgramParts): Options {
  const outside = external.map((name) => name.replaceAll('/', '\\/')).join('|')
  return {
    ...base(entry),
    // esbuild drops unused exports; a second pass by Rollup takes long for a whole program
    treeshake: false,
    external: external.map((name) => new RegExp(`^${name}(/|$)`)),
    noExternal: [new RegExp(`^(?!(?:${outside})(?:/|$))`)],
    // what packages in CommonJS need inside of an ES module
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    esbuildOptions(options) {
      options.sourcesContent = false
      options.conditions = ['@svc/source', 'module']
      options.legalComments = 'none'
    },
    esbuildPlugins: [licences()],
  }
}

/** Writes the licence texts of the bundled packages into `dist/THIRD-PARTY-LICENSES.txt`. */
function licences(): EsbuildPlugin {
  return {
    name: 'licences',
    setup(build) {
      build.onEnd(({ metafile, outputFiles }) => {
        const folders = new Set(Object.keys(metafile?.inputs ?? {}).flatMap((file) => findPackage(file) ?? []))
        const texts = [...folders].map(describeLicence).sort((one, other) => (one.name < other.name ? -1 : 1))
        const contents = Buffer.from(texts.map(({ text }) => text).join(`\n${'-'.repeat(80)}\n\n`))
        const path = join(build.initialOptions.outdir ?? 'dist', 'THIRD-PARTY-LICENSES.txt')
        outputFiles?.push({ path, contents, hash: '', text: contents.toString() })
      })
    },
  }
}

/** The folder of the installed package that a file belongs to; undefined for a file of the workspace. */
function findPackage(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]
}

function describeLicence(folder: string): { readonly name: string; readonly text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    'name' | 'version' | 'license',
    string | undefined
  >
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (license === undefined && texts.length === 0) throw new Error(`${folder} names no licence`)
  const title = `${name} ${version} (${license ?? 'see below'})`
  return { name: title, text: [title, ...texts].join('\n\n') + '\n' }
}
