import { readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { StartRefused } from '../config/start-refused.ts'
import { makeFolder } from './make-folder.ts'

const what = 'models folder (--models-path)'

describe('a folder that the server needs', () => {
  it('is made with those above it, and left alone when it is there', async () => {
    await using dir = await tempDir()
    await makeFolder(dir.join('a/b/c'), { what, mode: 0o700 })
    await writeFile(dir.join('a/b/c/file'), '')
    await makeFolder(dir.join('a/b/c'), { what })
    expect((await stat(dir.join('a/b'))).mode & 0o777).toBe(0o700)
    expect(await readdir(dir.join('a/b/c'))).toEqual(['file'])
  })

  it('may be a link to a folder', async () => {
    await using dir = await tempDir()
    await makeFolder(dir.join('real'), { what })
    await symlink(dir.join('real'), dir.join('link'))
    await makeFolder(dir.join('link/below'), { what })
    expect(await readdir(dir.join('real'))).toEqual(['below'])
  })

  it.each([
    ['is a file', 'file'],
    ['is below a file', 'file/models'],
    ['is far below a file', 'file/a/b/c'],
    ['is a link to nothing', 'dangling'],
    ['is below a link to nothing', 'dangling/models'],
    ['is below a loop of links', 'loop/models'],
    ['has a name that is too long', 'x'.repeat(300)],
  ])('refuses the start when it %s', async (_, path) => {
    await using dir = await tempDir()
    await writeFile(dir.join('file'), '')
    await symlink(dir.join('nowhere'), dir.join('dangling'))
    await symlink(dir.join('loop'), dir.join('loop'))
    const error: unknown = await makeFolder(dir.join(path), { what }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StartRefused)
    expect(error).toMatchObject({ exitCode: 78 })
    expect(String(error)).toContain(`the models folder (--models-path) ${dir.join(path)} cannot be made: `)
  })

  it.skipIf(process.platform !== 'linux')('refuses the start below the folder of processes', async () => {
    await expect(makeFolder('/proc/models/x', { what })).rejects.toMatchObject({ exitCode: 78 })
  })
})
