import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const outDir = mkdtempSync(join(tmpdir(), 'svc-pii-bundle-'))

afterAll(() => rmSync(outDir, { recursive: true }))

/** The modules an entry is made of, and what its bundle imports at run time. */
async function bundle(entry: string): Promise<{ modules: string[]; imports: unknown[] }> {
  const to = join(outDir, entry)
  await build({
    config: false,
    silent: true,
    entry: { [entry]: join(root, `src/${entry}.ts`) },
    tsconfig: join(root, 'tsconfig.build.json'),
    format: 'esm',
    target: 'node20',
    metafile: true,
    noExternal: [/.*/],
    outDir: to,
    esbuildOptions(options) {
      options.conditions = ['@svc/source']
    },
  })
  const metafile = readFileSync(join(to, 'metafile-esm.json'), 'utf8')
  const { inputs, outputs }: { inputs: object; outputs: Record<string, { imports: unknown[] }> } = JSON.parse(metafile)
  return {
    modules: Object.keys(inputs).map((path) => resolve(path)),
    imports: Object.values(outputs).flatMap(({ imports }) => imports),
  }
}

describe('the bundle', () => {
  it('of the package is its own sources, @svc/json and @svc/errors, and imports nothing', async () => {
    const { modules, imports } = await bundle('index')
    const foreign = modules.filter(
      (path) => !/\/packages\/(pii|json|errors)\/src\/([a-z-]+\/)*[a-z0-9-]+\.ts$/.test(path),
    )
    expect(modules.length).toBeGreaterThan(50)
    expect(foreign).toEqual([])
    expect(imports).toEqual([])
  })

  it('of the configuration has zod beside them, and nothing else', async () => {
    const { modules, imports } = await bundle('config')
    const foreign = modules.filter((path) => !/\/packages\/pii\/src\/|\/node_modules\/zod\//.test(path))
    expect(modules.some((path) => path.endsWith('/packages/pii/src/config.ts'))).toBe(true)
    expect(foreign).toEqual([])
    expect(imports).toEqual([])
  })
})
