import { fileURLToPath } from 'node:url'
import { bundleEntry, type EntryBundle } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'

const toPath = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))

const bundle = (entry: string): Promise<EntryBundle> =>
  bundleEntry({ entry: toPath(`src/${entry}.ts`), tsconfig: toPath('tsconfig.build.json') })

describe('the bundle', () => {
  it('of the package is its own sources, @svc/json and @svc/errors, and imports nothing', async () => {
    const { modules, imports } = await bundle('index')
    const foreign = modules.filter(
      (path) => !/\/packages\/(pii|json|errors)\/src\/([a-z-]+\/)*[a-z0-9-]+\.ts$/.test(path),
    )
    expect(modules.length).toBeGreaterThan(40)
    expect(foreign).toEqual([])
    expect(imports).toEqual([])
  })

  it('of the names is lists, and no detector', async () => {
    const { modules } = await bundle('names')
    expect(modules.length).toBeGreaterThan(0)
    expect(
      modules.filter((path) => !/\/(names|encodings|(builtin|fake|secret|structured)-names)\.ts$/.test(path)),
    ).toEqual([])
  })

  it('of the configuration also has zod, and nothing else', async () => {
    const { modules, imports } = await bundle('config')
    const foreign = modules.filter((path) => !/\/packages\/pii\/src\/|\/node_modules\/zod\//.test(path))
    expect(modules.some((path) => path.endsWith('/packages/pii/src/config.ts'))).toBe(true)
    expect(foreign).toEqual([])
    expect(imports).toEqual([])
  })
})
