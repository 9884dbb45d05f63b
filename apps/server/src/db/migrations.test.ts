import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type Migration, migrationsFolder, planMigrations, readMigrations } from './migrations.ts'
import { findShippedPath } from './shipped-path.ts'

const run = promisify(execFile)
const SERVER = fileURLToPath(new URL('../..', import.meta.url))

const step = (id: number): Migration => ({ id, hash: String(id), statements: [] })

describe('the plan of a migration', () => {
  it('is the steps that are missing, in order', () => {
    expect(planMigrations([], [step(1), step(2)])).toEqual({ kind: 'pending', steps: [step(1), step(2)] })
    expect(planMigrations([1], [step(1), step(2)])).toEqual({ kind: 'pending', steps: [step(2)] })
    expect(planMigrations([1, 2], [step(1), step(2)])).toEqual({ kind: 'pending', steps: [] })
  })
  it('is none for a schema with a step of another version', () => {
    expect(planMigrations([1, 3], [step(1), step(2)])).toEqual({ kind: 'newer' })
  })
})

describe.each(['sqlite', 'postgres'] as const)('the committed migrations of %s', (dialect) => {
  it('grow in time and hold statements', () => {
    const migrations = readMigrations(migrationsFolder(dialect))
    expect(migrations.length).toBeGreaterThan(0)
    for (const { statements } of migrations) expect(statements.length).toBeGreaterThan(0)
    expect(new Set(migrations.map(({ id }) => id)).size).toBe(migrations.length)
  })
  it('match the schema: drizzle-kit finds nothing to add', async () => {
    await using dir = await tempDir()
    // drizzle-kit reads every path as relative
    const out = relative(SERVER, dir.join('migrations'))
    await cp(migrationsFolder(dialect), dir.join('migrations'), { recursive: true })
    const config = dir.join('drizzle.config.ts')
    const schema = ['src/db/tables/*.ts', 'src/api/**/table.ts'].map((path) => join(SERVER, path))
    await writeFile(
      config,
      `export default ${JSON.stringify({ dialect: dialect === 'sqlite' ? 'sqlite' : 'postgresql', schema, out })}`,
    )
    const kit = join(dirname(createRequire(import.meta.url).resolve('drizzle-kit')), 'bin.cjs')
    const { stdout } = await run(process.execPath, [kit, 'generate', '--config', config], { cwd: SERVER })
    expect(stdout).toContain('No schema changes')
    expect((await readdir(dir.join('migrations'))).sort()).toEqual((await readdir(migrationsFolder(dialect))).sort())
  })
})

describe('files beside the bundle', () => {
  it('is found from the sources, and from dist', async () => {
    await using dir = await tempDir()
    expect(await readFile(join(findShippedPath('migrations/sqlite'), 'meta/_journal.json'), 'utf8')).toContain(
      '"entries"',
    )
    await cp(fileURLToPath(new URL('./migrations', import.meta.url)), dir.join('src/db/migrations'), {
      recursive: true,
    })
    // the helper as a bundle has it: one folder below the package
    const code = (await readFile(new URL('./shipped-path.ts', import.meta.url), 'utf8')).replaceAll(': string', '')
    await writeFile(dir.join('package.json'), '{"type":"module"}')
    await mkdir(dir.join('dist'))
    await writeFile(dir.join('dist/main.js'), `${code}\nconsole.log(findShippedPath('migrations/sqlite'))`)
    const { stdout } = await run(process.execPath, [dir.join('dist/main.js')])
    expect(stdout.trim()).toBe(dir.join('src/db/migrations/sqlite'))
  })
  it('that is missing is a clear error', () => {
    expect(() => findShippedPath('nothing')).toThrow('nothing is missing from the installation')
  })
})
