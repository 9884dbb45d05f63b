import type { Options } from 'tsup'

/** The build every workspace package shares: ESM for Node 20, declarations are the `types` task's. */
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
