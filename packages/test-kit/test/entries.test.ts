import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bundleEntry } from '../src/index.ts'

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Entries that programs import for one use, with their size limits: kB of a minified bundle with all dependencies,
 * before compression. All run in a browser. Parts that load late, behind `import()`, do not count.
 */
const BUDGETS_KB = {
  'wire/sse': 5,
  'wire/ndjson': 5,
  'templates/jinja': 150,
  'templates/go': 280,
  'pii/errors': 3,
  'pii/audit': 5,
  'pii/patterns': 90,
  'proxy/translate': 70,
  'proxy/failover': 20,
} as const

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly '@svc/source'?: string; readonly types?: string } | string>>
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(PACKAGES, folder, 'package.json'), 'utf8')) as Manifest

describe.each(Object.entries(BUDGETS_KB))('@svc/%s', (name, budget) => {
  it(`is at most ${budget} kB in a browser and imports nothing at run time`, async () => {
    const [folder = '', subpath = ''] = name.split('/')
    const entry = readManifest(folder).exports[`./${subpath}`]
    const source = typeof entry === 'object' ? entry['@svc/source'] : undefined
    const bundle = await bundleEntry({
      entry: join(PACKAGES, folder, source ?? ''),
      tsconfig: join(PACKAGES, folder, 'tsconfig.build.json'),
    })
    expect(bundle.imports).toEqual([])
    expect(
      bundle.modules.filter((path) => path.includes('/node_modules/') && !/\/node_modules\/re2js\//.test(path)),
    ).toEqual([])
    expect(bundle.sizeBytes).toBeLessThanOrEqual(budget * 1000)
  })
})

it('the catalogue loads late with @svc/pii/patterns, and at once where it is asked for', async () => {
  const bundle = (source: string) =>
    bundleEntry({ entry: join(PACKAGES, 'pii/src', source), tsconfig: join(PACKAGES, 'pii/tsconfig.build.json') })
  expect((await bundle('pattern/index.ts')).lateBytes).toBeGreaterThan(50_000)
  expect((await bundle('catalogue.ts')).lateBytes).toBe(0)
  expect((await bundle('detectors.ts')).lateBytes).toBe(0)
})

describe('the face of a package', () => {
  it.each(readdirSync(PACKAGES).filter((folder) => folder !== 'test-kit'))('@svc/%s has at most 40 names', (folder) => {
    const face = readFileSync(join(PACKAGES, folder, 'src/index.ts'), 'utf8')
    const names = [...face.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
      list.split(',').filter((name) => name.trim() !== ''),
    )
    expect(face).not.toMatch(/export \*/)
    expect(names.length).toBeLessThanOrEqual(40)
  })
})
