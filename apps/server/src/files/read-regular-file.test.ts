import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { readRegularFile } from './read-regular-file.ts'

describe('a regular file', () => {
  it('is read up to its limit', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('a'), 'four')
    const read = (maxBytes: number) => readRegularFile(dir.join('a'), { maxBytes, followsLink: false })
    expect(String(await read(4))).toBe('four')
    expect(await read(3)).toBe('it is larger than 3 bytes')
  })

  it('is neither a folder, a pipe, a device, nor a link unless links are followed', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('folder'))
    execFileSync('mkfifo', [dir.join('pipe')])
    await writeFile(dir.join('a'), 'text')
    await symlink('a', dir.join('link'))
    const read = (path: string, followsLink = false) => readRegularFile(path, { maxBytes: 9, followsLink })
    for (const path of [dir.join('folder'), dir.join('pipe'), '/dev/null']) {
      expect(await read(path)).toBe('it is not a regular file')
    }
    await expect(read(dir.join('link'))).rejects.toMatchObject({ code: 'ELOOP' })
    expect(String(await read(dir.join('link'), true))).toBe('text')
    await expect(read(dir.join('none'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
