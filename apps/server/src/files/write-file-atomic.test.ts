import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError } from '@svc/errors'
import { collectLines, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type Disk, writeFileAtomic } from './write-file-atomic.ts'

const realDisk: Disk = { open, rename, unlink }

/** A disk that lists its calls and fails one of them. */
function failingDisk(failAt: string, code: string): { readonly disk: Disk; readonly calls: string[] } {
  const calls: string[] = []
  const act = async <T>(call: string, action: () => Promise<T>): Promise<T> => {
    calls.push(call)
    if (call === failAt) throw Object.assign(new Error(`${code}: ${call}`), { code })
    return action()
  }
  const disk: Disk = {
    open: (path, flags, mode) =>
      act(flags === 'r' ? 'open folder' : 'open', async () => {
        const file = await realDisk.open(path, flags, mode)
        const what = flags === 'r' ? ' folder' : ''
        return {
          writeFile: (content) => act('write', () => file.writeFile(content)),
          sync: () => act(`sync${what}`, () => file.sync()),
          close: async () => {
            await file.close()
            await act(`close${what}`, async () => {})
          },
        }
      }),
    rename: (from, to) => act('rename', () => realDisk.rename(from, to)),
    unlink: (path) => act('unlink', () => realDisk.unlink(path)),
  }
  return { disk, calls }
}

async function failure(promise: Promise<unknown>): Promise<SvcError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!SvcError.is(error)) throw new Error(`no SvcError: ${String(error)}`)
  return error
}

describe('an atomic write', () => {
  it('creates the file with its mode, and leaves nothing else', async () => {
    await using dir = await tempDir()
    await writeFileAtomic(dir.join('a.json'), 'new', { mode: 0o600 })
    expect(await readFile(dir.join('a.json'), 'utf8')).toBe('new')
    expect((await stat(dir.join('a.json'))).mode & 0o777).toBe(0o600)
    expect(await readdir(dir.path)).toEqual(['a.json'])
  })
  it('replaces a file, tightening its mode', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('a.json'), 'old', { mode: 0o644 })
    await writeFileAtomic(dir.join('a.json'), Buffer.from([1, 2, 255]), { mode: 0o600 })
    expect(await readFile(dir.join('a.json'))).toEqual(Buffer.from([1, 2, 255]))
    expect((await stat(dir.join('a.json'))).mode & 0o777).toBe(0o600)
  })
  it('syncs the file before the rename and the folder after it', async () => {
    await using dir = await tempDir()
    const { disk, calls } = failingDisk('none', '')
    await writeFileAtomic(dir.join('a.json'), 'new', { mode: 0o600, disk })
    expect(calls).toEqual(['open', 'write', 'sync', 'close', 'rename', 'open folder', 'sync folder', 'close folder'])
  })
  it.each(['open', 'write', 'sync', 'close', 'rename'])(
    'keeps the old file and no temporary one when %s fails',
    async (call) => {
      await using dir = await tempDir()
      await writeFile(dir.join('a.json'), 'old')
      const { disk } = failingDisk(call, 'EIO')
      const error = await failure(writeFileAtomic(dir.join('a.json'), 'new', { mode: 0o600, disk }))
      expect([error.kind, error.code, error.message]).toEqual([
        'internal',
        'file_failed',
        'a.json could not be written: EIO',
      ])
      expect(await readFile(dir.join('a.json'), 'utf8')).toBe('old')
      expect(await readdir(dir.path)).toEqual(['a.json'])
    },
  )
  it.each(['open folder', 'sync folder'])('is not acknowledged when %s fails', async (call) => {
    await using dir = await tempDir()
    const { disk } = failingDisk(call, 'EIO')
    expect((await failure(writeFileAtomic(dir.join('a.json'), 'new', { mode: 0o600, disk }))).code).toBe('file_failed')
  })
  it('goes on where a folder cannot be synced at all', async () => {
    await using dir = await tempDir()
    const { disk } = failingDisk('sync folder', 'EINVAL')
    await writeFileAtomic(dir.join('a.json'), 'new', { mode: 0o600, disk })
    expect(await readFile(dir.join('a.json'), 'utf8')).toBe('new')
  })
  it.each(['ENOSPC', 'EDQUOT'])('tells of a full disk (%s)', async (code) => {
    await using dir = await tempDir()
    const { disk } = failingDisk('write', code)
    const error = await failure(writeFileAtomic(dir.join('a.json'), 'new', { mode: 0o600, disk }))
    expect([error.kind, error.code]).toEqual(['insufficient_storage', 'disk_full'])
    expect(error.message).not.toContain(dir.path)
    expect(await readdir(dir.path)).toEqual([])
  })
  it('refuses a folder it may not write to, and one that is not there', async () => {
    await using dir = await tempDir()
    expect((await failure(writeFileAtomic(dir.join('no/a.json'), 'x', { mode: 0o600 }))).message).toBe(
      'a.json could not be written: it does not exist',
    )
    if (process.getuid?.() === 0) return // root may write everywhere
    await chmod(dir.path, 0o500)
    expect((await failure(writeFileAtomic(dir.join('a.json'), 'x', { mode: 0o600 }))).message).toContain(
      'permission denied',
    )
  })
  it('lets the last of many parallel writes win, complete', async () => {
    await using dir = await tempDir()
    const contents = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(5000))
    await Promise.all(contents.map((content) => writeFileAtomic(dir.join('a'), content, { mode: 0o600 })))
    expect(contents).toContain(await readFile(dir.join('a'), 'utf8'))
    expect(await readdir(dir.path)).toEqual(['a'])
  })
})

describe('REL-9: a write that is killed', () => {
  const child = fileURLToPath(new URL('./__fixtures__/write-forever.ts', import.meta.url))

  async function killOne(
    path: string,
    afterLines: number,
  ): Promise<{ readonly acknowledged: number; readonly found: number }> {
    const writer = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', child, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = collectLines(writer.stdout)
    await output.waitFor((line) => Number(line) >= afterLines)
    // somewhere inside the next writes
    for (let turns = Math.floor(Math.random() * 200); turns > 0; turns -= 1)
      await new Promise((resolve) => setImmediate(resolve))
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    const lines = await output.ended
    const content: unknown = JSON.parse(await readFile(path, 'utf8'))
    const found = (content as { number: number }).number
    expect(content).toEqual({ number: found, filling: String(found % 10).repeat(20_000) })
    return { acknowledged: Number(lines.filter((line) => /^\d+$/.test(line)).at(-1)), found }
  }

  it('leaves the old content or the new, and never loses an acknowledged one', async () => {
    await using dir = await tempDir()
    const workers = Array.from({ length: 2 }, async (_, worker) => {
      for (let kill = 0; kill < 12; kill += 1) {
        const { acknowledged, found } = await killOne(dir.join(`w${worker}.json`), 1 + (kill % 5))
        expect(found).toBeGreaterThanOrEqual(acknowledged)
        expect(found).toBeLessThanOrEqual(acknowledged + 2)
      }
    })
    await Promise.all(workers)
    const strays = (await readdir(dir.path)).filter((name) => !/^w\d\.json$/.test(name))
    for (const name of strays) expect(basename(name)).toMatch(/^\.w\d\.json\.[0-9a-f]{12}\.tmp$/)
  })
})
