import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, realpath, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseBetterSqlite } from '../../src/db/sqlite-engine.ts'
import { startBuiltServer } from '../support/built-server.ts'
import { postChat, readAnswer } from './open-chat.ts'

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))
const FASTEST = chooseBetterSqlite(process.versions.napi)
/** A clone keeps the release for Node 20 beside its tools. */
const ORIGINAL = join(PACKAGE, FASTEST === 'better-sqlite3' ? '.' : '../..', 'node_modules', FASTEST)
const LINE =
  /^libsql opens the database: better-sqlite3, which reads twice as fast, (is not installed|needs Node 22 or newer|has no binary here)$/

/** Whether a program loads this file of a package. */
const isLoaded = (path: string): boolean => !/\.(d\.[cm]?ts|map|cjs|test\.ts)$/.test(path)

/**
 * Installs the server as a package manager leaves it when the optional better-sqlite3 could not be built: without
 * patches, the module is missing from the tree.
 */
async function install(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(modules, { recursive: true })
  await cp(join(PACKAGE, 'package.json'), join(folder, 'package.json'))
  for (const part of ['dist', 'src'])
    await cp(join(PACKAGE, part), join(folder, part), { recursive: true, filter: isLoaded })
  for (const name of await readdir(join(PACKAGE, 'node_modules'))) {
    const source = await realpath(join(PACKAGE, 'node_modules', name))
    // on Node 20 the release that only newer ones can load stays, as npm installs it
    if (name !== FASTEST && !name.startsWith('.')) await symlink(source, join(modules, name))
  }
}

/** Adds better-sqlite3 as a failed compilation leaves it: everything except its binary. */
async function addUncompiled(folder: string): Promise<void> {
  const source = await realpath(ORIGINAL)
  const target = join(folder, 'node_modules', FASTEST)
  await cp(source, target, { recursive: true, filter: (path) => !/\/(build|prebuilds|deps|src)$/.test(path) })
  if (FASTEST !== 'better-sqlite3-12') return
  const bindings = dirname(createRequire(join(source, 'package.json')).resolve('bindings/package.json'))
  await symlink(bindings, join(folder, 'node_modules', 'bindings'))
}

let installation: TempDir
beforeAll(async () => {
  installation = await tempDir('svc-e2e-')
  await install(installation.path)
})
afterAll(() => installation.close())

describe('where no compiler is, and no binary of better-sqlite3', () => {
  it.skipIf(FASTEST === 'better-sqlite3')('the release that would end this Node is installed', async () => {
    const manifest = await readFile(installation.join('node_modules/better-sqlite3/package.json'), 'utf8')
    expect(Number.parseInt(JSON.parse(manifest).version, 10)).toBeGreaterThanOrEqual(13)
  })

  // on a machine without a compiler there is nothing to copy
  const states = ['is not installed', ...(existsSync(ORIGINAL) ? ['is not compiled'] : [])]

  it.each(states)('which %s, libsql replaces it and the log says so in one line', async (state) => {
    if (state === 'is not compiled') await addUncompiled(installation.path)
    await using dir = await tempDir('svc-e2e-')
    {
      await using server = await startBuiltServer({
        folder: dir.path,
        entry: installation.join('dist', 'main.js'),
        mock: {},
      })
      const lines = server.log().filter((entry) => LINE.test(String(entry.msg)) || entry.level !== 'info')
      expect(lines).toEqual([expect.objectContaining({ level: 'info', msg: expect.stringMatching(LINE) })])
      expect(lines[0]).not.toHaveProperty('err')
      await server.model('m')
      expect(await readAnswer(await postChat(server.url, 'm'))).not.toBe('')
      expect((await stat(dir.join('data', 'database.db'))).size).toBeGreaterThan(0)
      expect(await server.stop()).toEqual({ code: 0, signal: null })
    }
    // both engines use the same file
    await using usual = await startBuiltServer({ folder: dir.path, mock: {} })
    expect((await fetch(`${usual.url}/readyz`)).status).toBe(200)
  })
})
