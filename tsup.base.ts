import type { Options } from 'tsup'

/** The build every workspace package shares: ESM for Node 20. */
export function base(entry: Record<string, string>): Options {
  return {
    entry,
    format: ['esm'],
    target: 'node20',
    platform: 'node',
    clean: true,
    sourcemap: true,
    esbuildOptions(options) {
      // the package holds the sources: once is enough
      options.sourcesContent = false
    },
    splitting: true,
    treeshake: true,
    tsconfig: 'tsconfig.build.json',
  }
}

/**
 * The build of a published library. Its declarations (`tsup --dts-only`) are bundled from those that the type check has
 * written: tsup has its own compiler check the sources again, which takes ten times as long.
 */
export function library(entry: Record<string, string>): (flags: Options) => Options {
  const declared = Object.entries(entry).map(([name, path]) => [name, `.tsbuild/${path.replace(/ts$/, 'd.ts')}`])
  return (flags) => base(flags.dts ? Object.fromEntries(declared) : entry)
}
