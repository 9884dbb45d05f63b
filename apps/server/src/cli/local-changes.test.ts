import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { afterEach, expect, it, vi } from 'vitest'
import { createAuditLog } from '../audit/audit-log.ts'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config/load.ts'
import type { ServerConfig } from '../config/schema.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { recordLocalChange } from './local-changes.ts'

afterEach(() => vi.restoreAllMocks())

function toConfig(dataPath: string, flags: readonly string[] = []): ServerConfig {
  const command = loadConfig({ argv: ['run', `--data-path=${dataPath}`, ...flags], env: {}, cwd: '/' })
  if (command.kind !== 'run') throw new Error(JSON.stringify(command))
  return command.config
}

const CHANGE = { change: 'model.delete', target: 'm' }

it('records a change of files in the database of the server', async () => {
  await using folder = await tempDir()
  const options = { dataPath: folder.path, appVersion: '1', logger: silentLogger, clock: systemClock }
  await (await openDatabase(options)).close()
  await recordLocalChange(toConfig(folder.path), CHANGE)
  await using database = await openDatabase(options)
  const audit = createAuditLog({ database, clock: systemClock, logger: silentLogger })
  expect(await audit.list({ limit: 9 })).toMatchObject([
    { kind: 'administration', origin: 'command', patternId: 'model.delete', facts: { target: 'm', outcome: 'done' } },
  ])
  await audit.close()
})

it('makes no database where there is none', async () => {
  await using folder = await tempDir()
  await recordLocalChange(toConfig(folder.path), CHANGE)
  await recordLocalChange(toConfig(folder.path, ['--auth-database-url=:memory:']), CHANGE)
  expect(existsSync(folder.join('database.db'))).toBe(false)
})

it('says that the log could not be written, and fails nothing', async () => {
  await using folder = await tempDir()
  await mkdir(folder.path, { recursive: true })
  await writeFile(folder.join('database.db'), 'this is no database at all, whatever its name says')
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  await recordLocalChange(toConfig(folder.path), CHANGE)
  expect(lines).toEqual([expect.stringMatching(/^the audit log could not be written: /)])
})
