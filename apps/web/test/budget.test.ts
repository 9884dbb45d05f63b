import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { nameClass } from '../scripts/name-class.ts'
import { modules, readOwn, toSheetName } from './sheets.ts'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const KB = 1000
/** A limit may be passed by this before it counts as broken. */
const TOLERANCE = 1.02

interface Chunk {
  readonly file: string
  readonly name?: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

const manifestFile = join(dist, '.vite/manifest.json')
if (!existsSync(manifestFile)) throw new Error(`${manifestFile} is missing: run npm test, which builds first`)
// the build writes it in this shape
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Readonly<Record<string, Chunk>>

const compressedSizes = new Map<string, number>()
function measure(file: string): number {
  const known = compressedSizes.get(file) ?? gzipSync(readFileSync(join(dist, file)), { level: 9 }).length
  compressedSizes.set(file, known)
  return known
}

/** Every chunk that must be there before any of these modules can run. */
function listClosure(names: readonly string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    const chunk = manifest[name]
    if (chunk === undefined)
      throw new Error(`the build has no module ${name}; it has ${Object.keys(manifest).join(', ')}`)
    if (seen.has(name)) continue
    seen.add(name)
    listClosure(chunk.imports ?? [], seen)
  }
  return seen
}

function measureScripts(names: readonly string[], without: readonly string[] = []): number {
  const left = listClosure(without)
  const chunks = [...listClosure(names)].filter((name) => !left.has(name))
  return chunks.reduce((total, name) => total + measure(manifest[name]?.file ?? ''), 0)
}

/** The key of a chunk that the configuration of the build names. */
function findChunk(name: string): string {
  const [key] = Object.entries(manifest).find(([, chunk]) => chunk.name === name && chunk.file.endsWith('.js')) ?? []
  if (key === undefined) throw new Error(`the build has no chunk ${name}`)
  return key
}

const FRAME = [findChunk('base'), findChunk('frame')]
const pages = Object.keys(manifest).filter((name) => /^src\/features\/.*-page\.tsx$/.test(name))

/** Limits of a page's own scripts, compressed. */
const PAGE_LIMITS: readonly (readonly [pattern: RegExp, limit: number])[] = [
  [/chat-page/, 60 * KB],
  [/(?:traces|usage|monitor)-page/, 45 * KB],
  [/editor-page/, 210 * KB],
]

describe('the built interface', () => {
  it('blocks the first paint of /app with at most 150 kB of scripts', () => {
    expect(measureScripts([...FRAME, findChunk('home')])).toBeLessThanOrEqual(150 * KB * TOLERANCE)
  })

  it('opens the sign-in page with at most 130 kB of scripts', () => {
    expect(measureScripts(['src/app/start-entry.tsx'])).toBeLessThanOrEqual(130 * KB)
  })

  it.each(pages)('keeps %s small', (page) => {
    const limit = PAGE_LIMITS.find(([pattern]) => pattern.test(page))?.[1] ?? 30 * KB
    // parts that several pages share, such as dialogs, load after the first paint of any page
    expect(measureScripts([page], [...FRAME, findChunk('overlays')])).toBeLessThanOrEqual(limit)
  })

  it('has 5 to 20 kB of styles for the frame and at most 45 kB of letters for Latin text', () => {
    const styles = [...listClosure(FRAME)].flatMap((name) => manifest[name]?.css ?? [])
    const size = styles.reduce((total, file) => total + measure(file), 0)
    // a build without the styles of its components is far smaller
    expect(size).toBeGreaterThanOrEqual(5 * KB)
    expect(size).toBeLessThanOrEqual(20 * KB)
    const face = readdirSync(join(dist, 'assets')).find((name) => /latin-wght/.test(name)) ?? ''
    expect(statSync(join(dist, 'assets', face)).size).toBeLessThanOrEqual(45 * KB)
  })

  it('has every class of every module, under the name that the components write', () => {
    const read = (end: string) =>
      readdirSync(join(dist, 'assets'))
        .filter((name) => name.endsWith(end))
        .map((name) => readFileSync(join(dist, 'assets', name), 'utf8'))
        .join('\n')
    const find = (text: string) => new Set(text.match(/(?<![\w-])[A-Za-z]\w*_[\da-f]{4}(?![\w-])/g))
    const styled = find(read('.css'))
    const written = find(read('.js'))
    const names = modules.flatMap((file) =>
      [...readOwn(file)].map((name) => [nameClass(name, file), `${toSheetName(file)}: ${name}`] as const),
    )
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter(([name]) => !styled.has(name)).map(([, text]) => text)).toEqual([])
    expect(names.filter(([name]) => !written.has(name)).map(([, text]) => text)).toEqual([])
  })

  it('is at most 4 MB in all', () => {
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(dist, name)))
    expect(files.reduce((total, stat) => total + (stat.isFile() ? stat.size : 0), 0)).toBeLessThanOrEqual(4000 * KB)
  })
})
