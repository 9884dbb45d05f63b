import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type TempDir, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { removeStagedFiles } from './staged-files.ts'

async function fill(dir: TempDir, files: readonly string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(dir.join(file)), { recursive: true })
    await writeFile(dir.join(file), 'x')
  }
}

it('deletes what front ends have sent for a model, and nothing else', async () => {
  await using dir = await tempDir()
  await fill(dir, [
    'models/a#0/a.gguf',
    'models/a#12/deep/a.gguf',
    'models/a#x/a.gguf',
    'models/ab#0/a.gguf',
    'models/a/deep/a.gguf',
    'models/a/deep/a.gguf.sha256',
    'models/own/weights.gguf',
    'models/org/a#0/a.gguf',
  ])
  await symlink(dir.join('models/own'), dir.join('models/a#3'))
  await removeStagedFiles(dir.join('models'), 'a')
  await removeStagedFiles(dir.join('models'), 'own')
  await removeStagedFiles(dir.join('models'), 'missing')
  expect((await readdir(dir.join('models'))).sort()).toEqual(['a#3', 'a#x', 'ab#0', 'org', 'own'])
  await removeStagedFiles(dir.join('models'), 'org/a')
  expect(await readdir(dir.join('models/org'))).toEqual([])
})

it.each(['..', '../models', '.', 'a/../../b', '/etc', '', 'a/'])('refuses the name %j', async (name) => {
  await using dir = await tempDir()
  await fill(dir, ['models/a#0/x', 'b#0/x'])
  await expect(removeStagedFiles(dir.join('models'), name)).rejects.toMatchObject({ code: 'bad_model_name' })
  expect(await readdir(dir.path)).toHaveLength(2)
})

it('follows no link out of the folder', async () => {
  await using dir = await tempDir()
  await fill(dir, ['models/own/x', 'outside/a#0/x', 'outside/a/x.sha256'])
  await symlink(dir.join('outside'), dir.join('models/link'))
  const removal = removeStagedFiles(dir.join('models'), 'link/a')
  await expect(removal).rejects.toMatchObject({ code: 'bad_model_name' })
  expect((await readdir(dir.join('outside'))).sort()).toEqual(['a', 'a#0'])
})
