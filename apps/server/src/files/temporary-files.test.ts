import { readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createTemporaryPath, removeStaleTemporaries } from './temporary-files.ts'

const NOW = Date.UTC(2026, 5, 1)

describe('temporary files', () => {
  it('have a name of their own in the same folder, within the limit of names', () => {
    expect(dirname(createTemporaryPath('/srv/a/settings.json'))).toBe('/srv/a')
    expect(basename(createTemporaryPath('/srv/a/settings.json'))).toMatch(/^\.settings\.json\.[0-9a-f]{12}\.tmp$/)
    expect(createTemporaryPath('/a/b')).not.toBe(createTemporaryPath('/a/b'))
    expect(Buffer.byteLength(basename(createTemporaryPath(`/a/${'é'.repeat(127)}`)))).toBeLessThan(255)
  })
  it('are removed an hour after a killed write left them, and other files stay', async () => {
    await using dir = await tempDir()
    const old = [createTemporaryPath(dir.join('a.json')), createTemporaryPath(dir.join('b'))]
    const kept = [
      createTemporaryPath(dir.join('a.json')),
      dir.join('a.json'),
      dir.join('.mine.tmp'),
      dir.join('.x.0123456789ab.tmp.bak'),
    ]
    for (const path of [...old, ...kept]) await writeFile(path, 'x')
    for (const path of [...old, ...kept.slice(1)]) await utimes(path, NOW / 1000 - 3601, NOW / 1000 - 3601)
    await utimes(kept[0] ?? '', NOW / 1000 - 3599, NOW / 1000 - 3599)

    const removed = await removeStaleTemporaries(dir.path, { now: NOW })

    expect([...removed].sort()).toEqual(old.map((path) => basename(path)).sort())
    expect((await readdir(dir.path)).sort()).toEqual(kept.map((path) => basename(path)).sort())
  })
  it('are none without the folder', async () => {
    await using dir = await tempDir()
    expect(await removeStaleTemporaries(dir.join('absent'), { now: NOW })).toEqual([])
  })
})
