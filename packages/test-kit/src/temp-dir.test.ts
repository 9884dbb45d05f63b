import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { loadsRealFiles } from './module-links.ts'
import { tempDir } from './temp-dir.ts'

it('is empty, unique, and gone with its content after the scope', async () => {
  let path: string
  {
    await using dir = await tempDir()
    await using other = await tempDir()
    path = dir.path
    expect(path).not.toBe(other.path)
    expect(await readdir(path)).toEqual([])
    await mkdir(dir.join('a', 'b'), { recursive: true })
    await writeFile(dir.join('a', 'b', 'c.txt'), 'x')
    expect(existsSync(path)).toBe(true)
  }
  expect(existsSync(path)).toBe(false)
})

it('takes sockets away without harm to modules that load later', async () => {
  const server = createServer()
  {
    await using dir = await tempDir()
    await mkdir(dir.join('a'))
    await new Promise<void>((resolve) => server.listen(dir.join('a', 'socket'), resolve))
  }
  expect(await loadsRealFiles()).toBe(true)
  server.close()
})
