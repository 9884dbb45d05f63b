import { fileURLToPath } from 'node:url'
import { bundleEntry } from '@svc/test-kit'
import { expect, it } from 'vitest'

const toPath = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))

it('bundles its own sources, and imports no HTTP parser', async () => {
  const { modules, imports } = await bundleEntry({
    entry: toPath('src/index.ts'),
    tsconfig: toPath('tsconfig.build.json'),
  })
  const foreign = modules.filter((path) => !/\/packages\/http-reader\/src\/[\w-]+\.ts$/.test(path))
  expect(modules.length).toBeGreaterThan(10)
  expect(foreign).toEqual([])
  expect(imports).toEqual([expect.objectContaining({ path: 'events' }), expect.objectContaining({ path: 'stream' })])
})
