import { spawnSync } from 'node:child_process'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeWorkFolder } from './work-folder.ts'

let temp: TempDir
beforeEach(async () => {
  temp = await tempDir()
  vi.stubEnv('TMPDIR', temp.path)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await temp.close()
})

/** A process id that has ended. */
const ended = spawnSync(process.execPath, ['-e', '']).pid
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000)

async function leave(name: string, touched = new Date()): Promise<void> {
  await mkdir(temp.join(name))
  await writeFile(temp.join(name, 'tokens.txt'), 'x')
  await utimes(temp.join(name), touched, touched)
}

it('goes with its files', async () => {
  const folder = await makeWorkFolder()
  await writeFile(folder.join('tokens.txt'), 'x')
  await folder.close()
  expect(await readdir(temp.path)).toEqual([])
})

it('takes those of ended processes with it, and none of running ones', async () => {
  const folder = await makeWorkFolder()
  const name = path.basename(folder.path)
  const dead = name.replace(`-${process.pid}-`, `-${ended}-`)
  await leave(dead)
  const other = await makeWorkFolder()
  expect((await readdir(temp.path)).sort()).toEqual([name, path.basename(other.path)].sort())
})

it('leaves those of other containers until a day after their last use', async () => {
  const kept = [`svc-speech-1-${ended}-abcdef`, `svc-speech-${ended}-abcdef`, 'svc-speech-less']
  for (const name of kept) await leave(name, hoursAgo(23))
  await utimes(temp.join('svc-speech-less'), hoursAgo(99), hoursAgo(99))
  await leave(`svc-speech-2-${ended}-abcdef`, hoursAgo(25))
  await leave(`svc-speech-${ended}-ghijkl`, hoursAgo(25))
  const folder = await makeWorkFolder()
  expect((await readdir(temp.path)).sort()).toEqual([...kept, path.basename(folder.path)].sort())
})
