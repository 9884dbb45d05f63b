import { fileURLToPath } from 'node:url'
import { bundleEntry } from '@svc/test-kit'
import { expect, it } from 'vitest'

const toPath = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))

it('bundles its own sources and three libraries, and finds the zstd decoder when it needs it', async () => {
  const { modules, imports } = await bundleEntry({
    entry: toPath('src/index.ts'),
    tsconfig: toPath('tsconfig.build.json'),
  })
  const foreign = modules.filter(
    (path) => !/\/packages\/(mitm|errors|http-client|http-reader)\/src\/([\w-]+\/)?[\w-]+\.ts$/.test(path),
  )
  expect(modules.length).toBeGreaterThan(30)
  expect(foreign).toEqual([])
  const names = imports.map((entry) => String(Reflect.get(Object(entry), 'path')).replace(/^node:/, '')).sort()
  expect([...new Set(names)]).toEqual([
    'crypto',
    'dns',
    'events',
    'fs/promises',
    'http',
    'http2',
    'module',
    'net',
    'os',
    'path',
    'tls',
    'url',
    'worker_threads',
    'zlib',
  ])
})
