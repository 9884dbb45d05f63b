import * as fs from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { expect, it, vi } from 'vitest'
import { createCaFolder } from './ca-store.ts'

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof fs>()
  return { ...real, rename: vi.fn(real.rename) }
})

const OURS = { certificate: 'our certificate', key: 'our key' }
const THEIRS = { certificate: 'their certificate', key: 'their key' }

it('takes the authority of another process that was first and has removed the folder of this one', async () => {
  await using dir = await tempDir()
  const store = createCaFolder(dir.join('ca'))
  const rename = vi.mocked(fs.rename)
  const real = rename.getMockImplementation()
  rename.mockImplementationOnce(async (from, to) => {
    await store.create(THEIRS)
    // Reading removes what looks like a leftover.
    expect(await store.read()).toEqual(THEIRS)
    expect(await fs.readdir(dir.path)).toEqual(['ca'])
    await real?.(from, to)
  })
  await store.create(OURS)
  expect(await store.read()).toEqual(THEIRS)
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
