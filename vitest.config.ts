import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Sources instead of builds for workspace packages; the rest are vite's own server defaults. */
const conditions = ['@svc/source', 'module', 'node', 'development|production']

const parents = ['packages', 'apps', 'apps/backends', 'examples']
const folders = parents
  .flatMap((parent) => (existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : []))
  .concat('bench', 'scripts')
  .filter((folder) => existsSync(join(folder, 'package.json')) || folder === 'scripts')

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Left to itself vitest keeps one processor free; most tests wait for a server or a backend anyway.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: folders.map((root) => ({
      extends: true as const,
      root,
      test: { name: root, include: ['src/**/*.test.ts', 'test/**/*.test.ts', '*.test.ts'] },
    })),
  },
})
