import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { watchFolder } from './folder-watch.ts'

it.each([
  ['written', (folder: string) => writeFile(join(folder, 'a.yaml'), 'name: b')],
  ['made', (folder: string) => writeFile(join(folder, 'b.yaml'), 'name: b')],
  ['removed', (folder: string) => rm(join(folder, 'a.yaml'))],
  ['renamed', (folder: string) => rename(join(folder, 'a.yaml'), join(folder, 'c.yaml'))],
])('counts an entry that is %s', async (_, change) => {
  await using dir = await tempDir()
  await writeFile(join(dir.path, 'a.yaml'), 'name: a')
  const watch = watchFolder(dir.path)
  const before = watch.version
  expect(before).toBeDefined()
  await change(dir.path)
  await eventually(() => expect(watch.version).not.toBe(before))
  watch.close()
})

it('says that nothing is reported without a folder, and watches once there is one', async () => {
  await using dir = await tempDir()
  let now = 0
  const folder = join(dir.path, 'models')
  const watch = watchFolder(folder, { now: () => now })
  expect(watch.version).toBeUndefined()
  await mkdir(folder)
  now = 1000
  const before = watch.version
  expect(before).toBeDefined()
  await writeFile(join(folder, 'a.yaml'), '')
  await eventually(() => expect(watch.version).not.toBe(before))
  watch.close()
  expect(watch.version).toBeUndefined()
})

it('watches a folder anew that was removed and made again', async () => {
  await using dir = await tempDir()
  let now = 0
  const folder = join(dir.path, 'models')
  await mkdir(folder)
  const watch = watchFolder(folder, { now: () => now })
  expect(watch.version).toBeDefined()
  await rm(folder, { recursive: true })
  await eventually(() => expect(watch.version).toBeUndefined())
  await mkdir(folder)
  now = 2000
  const before = watch.version
  expect(before).toBeDefined()
  await writeFile(join(folder, 'a.yaml'), '')
  await eventually(() => expect(watch.version).not.toBe(before))
  watch.close()
})
