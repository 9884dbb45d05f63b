import { fileURLToPath } from 'node:url'
import { bundleEntry, type EntryBundle } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'

const findPath = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))

const bundle = (entry: string): Promise<EntryBundle> =>
  bundleEntry({ entry: findPath(`src/${entry}.ts`), tsconfig: findPath('tsconfig.build.json') })

describe('the bundle', () => {
  it.each(['index', 'corpus/index', 'fit/index', 'signals/index'])(
    'of %s is the sources of three packages, and imports nothing',
    async (entry) => {
      const { modules, imports } = await bundle(entry)
      const foreign = modules.filter(
        (path) => !/\/packages\/(router|json|errors)\/src\/([a-z-]+\/)*[a-z0-9-]+\.ts$/.test(path),
      )
      expect(modules.length).toBeGreaterThan(10)
      expect(foreign).toEqual([])
      expect(imports).toEqual([])
    },
  )

  it('of vectors holds nothing of routers', async () => {
    const { modules, imports } = await bundle('vector/index')
    const foreign = modules.filter((path) => !/\/packages\/(router\/src\/vector|errors\/src)\//.test(path))
    expect(modules.some((path) => path.endsWith('/vector/gen/kernel-bytes.ts'))).toBe(true)
    expect(foreign).toEqual([])
    expect(imports).toEqual([])
  })

  it('of the configuration has zod beside them, and nothing else', async () => {
    const { modules, imports } = await bundle('config')
    const foreign = modules.filter((path) => !/\/packages\/router\/src\/|\/node_modules\/zod\//.test(path))
    expect(modules.some((path) => path.endsWith('/packages/router/src/config.ts'))).toBe(true)
    expect(foreign).toEqual([])
    expect(imports).toEqual([])
  })
})
