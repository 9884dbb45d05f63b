import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { eventually, type TempDir, tempDir } from '@svc/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPrivateFiles } from './private-files.ts'

let dir: TempDir
let folder: string
beforeEach(async () => {
  dir = await tempDir()
  folder = join(dir.path, 'files')
})
afterEach(() => dir.close())

const list = async () => (await readdir(folder).catch(() => [])).sort()

it('removes what a program writes after its file was removed, and keeps files under way', async () => {
  const files = await openPrivateFiles(folder, { sweepAfterMs: 1 })
  const [late, live] = [await files.create({ extension: '.wav' }), await files.create({ extension: '.png' })]
  const beside = `${live.path}.part`
  await writeFile(beside, 'under way')
  await late.remove()
  await writeFile(late.path, 'late')
  await mkdir(join(folder, 'odd', 'deep'), { recursive: true })
  await eventually(async () => expect(await list()).toEqual([live.path, beside].map((path) => basename(path)).sort()))
  // one that comes later still is found after the next removal
  await live.remove()
  await eventually(async () => expect(await list()).toEqual([]))
  await writeFile(live.path, 'later')
  await (await files.create()).remove()
  await eventually(async () => expect(await list()).toEqual([]))
  await files.close()
  expect(await list()).toEqual([])
})
