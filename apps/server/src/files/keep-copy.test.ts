import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { keepCopy } from './keep-copy.ts'

describe('a file that is about to be replaced', () => {
  it('is kept under a name with the time', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('a.json'), 'broken')
    const copy = await keepCopy(dir.join('a.json'), { word: 'corrupt', now: Date.UTC(2026, 0, 2, 3, 4, 5) })
    expect(copy).toBe(dir.join('a.json.corrupt-2026-01-02T03-04-05-000Z'))
    expect(await readFile(copy ?? '', 'utf8')).toBe('broken')
    expect(await readdir(dir.path)).toHaveLength(2)
  })
  it('gives no copy when the file has gone', async () => {
    await using dir = await tempDir()
    expect(await keepCopy(dir.join('a.json'), { word: 'corrupt', now: 0 })).toBeUndefined()
  })
})
