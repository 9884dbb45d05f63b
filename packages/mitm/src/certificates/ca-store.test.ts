import * as fs from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createCaFolder } from './ca-store.ts'

const OURS = { certificate: 'our certificate', key: 'our key' }
const THEIRS = { certificate: 'their certificate', key: 'their key' }

it('takes the authority of another process that was first and has removed the folder of this one', async () => {
  await using dir = await tempDir()
  const theirs = createCaFolder(dir.join('ca'))
  const ours = createCaFolder(dir.join('ca'), {
    async move(from, to) {
      await theirs.create(THEIRS)
      // Reading removes what looks like a leftover.
      expect(await theirs.read()).toEqual(THEIRS)
      expect(await fs.readdir(dir.path)).toEqual(['ca'])
      await fs.rename(from, to)
    },
  })
  await ours.create(OURS)
  expect(await ours.read()).toEqual(THEIRS)
  expect(await fs.readdir(dir.path)).toEqual(['ca'])
})

it('leaves nothing beside a folder that it cannot fill', async () => {
  await using dir = await tempDir()
  await fs.mkdir(dir.join('ca'))
  await fs.writeFile(dir.join('ca', 'other'), 'x')
  const refused = { code: 'mitm_authority_unusable', message: expect.stringContaining('holds other files') }
  await expect(createCaFolder(dir.join('ca')).create(OURS)).rejects.toMatchObject(refused)
  expect(await fs.readdir(dir.path)).toEqual(['ca'])
})
