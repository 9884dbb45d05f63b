import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { afterAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const outDir = mkdtempSync(join(tmpdir(), 'svc-gguf-bundle-'))

afterAll(() => rmSync(outDir, { recursive: true }))

it('bundles its own sources and @svc/errors, and imports nothing at run time', async () => {
  await build({
    config: false,
    silent: true,
    entry: { index: join(root, 'src/index.ts') },
    tsconfig: join(root, 'tsconfig.build.json'),
    format: 'esm',
    target: 'node20',
    metafile: true,
    noExternal: [/.*/],
    outDir,
    esbuildOptions(options) {
      options.conditions = ['@svc/source']
    },
  })
  const metafile = readFileSync(join(outDir, 'metafile-esm.json'), 'utf8')
  const { inputs, outputs }: { inputs: object; outputs: Record<string, { imports: unknown[] }> } = JSON.parse(metafile)
  const foreign = Object.keys(inputs).filter(
    (path) => !/\/packages\/(gguf|errors)\/src\/[\w-]+\.ts$/.test(resolve(path)),
  )
  expect(Object.keys(inputs).length).toBeGreaterThan(5)
  expect(foreign).toEqual([])
  expect(Object.values(outputs).flatMap(({ imports }) => imports)).toEqual([])
})
