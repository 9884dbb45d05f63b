import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { PRESENT_ENGINES } from './__fixtures__/engines.ts'
import { type Migration, migrationsFolder, planMigrations, readMigrations } from './migrations.ts'
import { findShippedPath } from './shipped-path.ts'
import { loadSqliteEngine } from './sqlite-engine.ts'
import { migrateSqlite } from './sqlite-migrate.ts'

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

// verifies usage:media:before
it.each(PRESENT_ENGINES)('rows of usage from before media have none of them: %s', async (engine) => {
  await using dir = await tempDir()
  const ignore = (): void => undefined
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  const client = loadSqliteEngine({ logger, engine }).open(dir.join('a.db'))
  const migrations = readMigrations(migrationsFolder('sqlite'))
  const before = migrations.findIndex(({ statements }) => statements.some((one) => one.includes('`characters`')))
  migrateSqlite(client, { migrations: migrations.slice(0, before), where: 'a.db', now: 1 })
  const columns = 'user_id, user_name, source, api_key_id, api_key_name, model'
  const figures = 'prompt_tokens, completion_tokens, total_tokens'
  const values = "'ada', 'Ada', 'web', '', '', 'm'"
  for (const insert of [
    `auth_usage_records (id, endpoint, ${columns}, ${figures}, duration_ms, created_at) VALUES ('r', '/', ${values}, 1, 2, 3, 4, 5)`,
    `auth_usage_sums (span, start, ${columns}, ${figures}, requests, last_used_at) VALUES ('hour', 0, ${values}, 1, 2, 3, 1, 5)`,
  ])
    client.prepare(`INSERT INTO ${insert}`).run()
  migrateSqlite(client, { migrations, where: 'a.db', now: 2 })
  for (const table of ['auth_usage_records', 'auth_usage_sums'])
    expect(client.prepare(`SELECT total_tokens, seconds, characters, images FROM ${table}`).raw().all()).toEqual([
      [3, 0, 0, 0],
    ])
  client.close()
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
