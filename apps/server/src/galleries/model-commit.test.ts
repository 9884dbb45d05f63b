import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type TempDir, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { hashWriter } from '../operations/server-id.ts'
import { finishCommits, isOwnStaging, mayStage, stagingFolder } from './model-commit.ts'

const MINUTES = 60_000
const DAYS = 24 * 60 * MINUTES
const COMMIT = JSON.stringify({ moves: ['w.bin'], texts: [] })
const OWN = hashWriter('me')
const OTHER = hashWriter('another server')

async function write(folder: TempDir, path: string, content: string, ageMs = 0): Promise<void> {
  await mkdir(dirname(folder.join(path)), { recursive: true })
  await writeFile(folder.join(path), content)
  const then = (Date.now() - ageMs) / 1000
  for (const each of [path, dirname(path)]) await utimes(folder.join(each), then, then)
}

const finish = (folder: TempDir): Promise<void> =>
  finishCommits({ modelsPath: folder.path, serverId: 'me' }, { logger: silentLogger, now: Date.now() })

it('gives two servers on one models folder a staging folder each', () => {
  const [mine, theirs] = ['me', 'another server'].map((serverId) => stagingFolder({ modelsPath: '/m', serverId }, 'm'))
  expect(mine).toBe(`/m/.staging/m.${OWN}`)
  expect(theirs).toBe(`/m/.staging/m.${OTHER}`)
  expect(stagingFolder({ modelsPath: '/m', serverId: 'me' }, 'm')).toBe(mine)
})

it.each([
  ['m', 'm', true],
  ['Qwen', 'QWEN', true],
  ['qwen', 'Qwen', true],
  ['Émile/Ä', 'émile/ä', true],
  ['a b%', 'A B%', true],
  ['con', 'CON', true],
  ['a.', 'A.', true],
  [`${'N'.repeat(190)}`, `${'n'.repeat(190)}`, true],
  ['m', 'n', false],
  ['m', 'm2', false],
  ['a/b', 'a__b', false],
])('knows the staging folder of %s as one of %s: %s', (staged, model, expected) => {
  const folder = stagingFolder({ modelsPath: '', serverId: 'me' }, staged).slice('.staging/'.length)
  expect(mayStage(folder, model)).toBe(expected)
  expect([isOwnStaging(folder, 'me'), isOwnStaging(folder, 'another server')]).toEqual([true, false])
})

it.each([
  ['of this server', `m.${OWN}`, 0, true],
  ['of an earlier version', 'm', 0, true],
  ['of another server that may be at work', `m.${OTHER}`, 0, false],
  ['of another server that has ended', `m.${OTHER}`, 6 * MINUTES, true],
])('finishes a commit %s: %s', async (_what, name, ageMs, isFinished) => {
  await using folder = await tempDir()
  await write(folder, `.staging/${name}/w.bin`, 'weights', ageMs)
  await write(folder, `.staging/${name}/commit.json`, COMMIT, ageMs)
  await finish(folder)
  expect(await readdir(folder.join('.staging'))).toEqual(isFinished ? [] : [name])
  if (isFinished) expect(await readFile(folder.join('w.bin'), 'utf8')).toBe('weights')
})

it.each([
  ['an own one of this week', `m.${OWN}`, 6 * DAYS, true],
  ['an own one of last week', `m.${OWN}`, 8 * DAYS, false],
  ['one of another server of this week', `m.${OTHER}`, 6 * DAYS, true],
  ['one of another server of last week', `m.${OTHER}`, 8 * DAYS, false],
])('keeps unfinished data: %s', async (_what, name, ageMs, isKept) => {
  await using folder = await tempDir()
  await write(folder, `.staging/${name}/w.bin.partial`, '', ageMs)
  await finish(folder)
  expect(await readdir(folder.join('.staging'))).toEqual(isKept ? [name] : [])
})

it('keeps a folder whose file is written now, whatever the time of the folder', async () => {
  await using folder = await tempDir()
  await write(folder, `.staging/m.${OTHER}/w.bin.partial`, '', 8 * DAYS)
  await utimes(folder.join(`.staging/m.${OTHER}/w.bin.partial`), new Date(), new Date())
  await finish(folder)
  expect(await readdir(folder.join('.staging'))).toEqual([`m.${OTHER}`])
})
