import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { patienceMs } from './packages/test-kit/src/patience.ts'

/**
 * Sources instead of builds for workspace packages; the rest are vite's own server defaults. `module` is left out: Node
 * gets these conditions too, and cannot load the files that packages keep for bundlers.
 */
const conditions = ['@svc/source', 'node', 'development|production']

const parents = ['packages', 'apps', 'apps/backends', 'examples']
const folders = parents
  .flatMap((parent) => (existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : []))
  .concat('bench', 'scripts')
  .filter((folder) => existsSync(join(folder, 'package.json')) || folder === 'scripts')

/** Framing, connections, limits, early refusals, errors, gates, streams and sockets of the server. */
const HTTP_TESTS = [
  'src/http/*.test.ts',
  'test/spec/{access-ended,bad-requests,base-routes-fuzz,chat,credentials,errors,every-route-fuzz}.test.ts',
  'test/spec/{gate,home,inference-routes,limits,responses-socket,stream-events}.test.ts',
]

/** Leaks, restoration and failures of the filter of private text. */
const FILTER_TESTS = ['test/spec/pii-{canaries,filter,leaving,restored}.test.ts']

/** Projects with a test of a minute: it packs every package, or compiles a copy of the server. */
const LONG = ['packages/test-kit', 'scripts']

/** Starts with the projects that have a long test: at the end, one worker would run it by itself. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ project }: TestSpecification) => LONG.includes(project.name)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    // Against tests that hang, not for tests that are slow on a busy machine.
    testTimeout: patienceMs(300_000),
    hookTimeout: patienceMs(300_000),
    // Names of classes as the build has them; other styles are empty.
    css: { include: [/\.module\.css$/] },
    expect: { poll: { timeout: patienceMs(), interval: 10 } },
    // Modules are loaded once for each worker, not for each file: a third of the time. No test replaces a module or
    // leaves something behind in one.
    isolate: false,
    // The projects share what vite makes of a file: each would make it again.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongFirst },
    // An absolute path: each project has its own root.
    setupFiles: [join(import.meta.dirname, 'scripts/test-seed.ts')],
    // Left to itself vitest keeps one processor free; most tests wait for a server or a backend anyway.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      ...folders.map((root) => ({
        extends: true as const,
        root,
        test: { name: root, include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'e2e/**/*.test.ts', '*.test.ts'] },
      })),
      // The tests about HTTP once more, with Node reading every request (`--http-reader node`).
      {
        extends: true as const,
        root: 'apps/server',
        test: { name: 'apps/server, read by Node', include: HTTP_TESTS, provide: { httpReader: 'node' } },
      },
      // The tests of the filter once more, with every built-in and a recogniser beside the detectors that they name.
      {
        extends: true as const,
        root: 'apps/server',
        test: { name: 'apps/server, all detectors', include: FILTER_TESTS, provide: { detectors: 'all' } },
      },
    ],
  },
})
