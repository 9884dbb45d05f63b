import { open, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type OutputDisk, readInput, toBase64, toDataUrl, writeOutput } from '../src/files.ts'

const PNG = 'iVBORw0KGgo='

describe('a text of the contract', () => {
  it.each([
    ['', ''],
    [PNG, PNG],
    ['/9j/AA==', '/9j/AA=='],
    [`data:image/png;base64,${PNG}`, PNG],
  ])('that is base64 stays so: %j', async (text, expected) => {
    expect(await toBase64(text)).toBe(expected)
  })

  it('that is the path of a file is its bytes', async () => {
    await using folder = await tempDir()
    const path = folder.join('a.png')
    await writeFile(path, 'bytes')
    expect(await toBase64(path)).toBe(Buffer.from('bytes').toString('base64'))
  })

  it.each(['/nowhere/a.png', './a.png', '../a.png', 'a.png'])('that names no file is refused: %s', async (path) => {
    await expect(toBase64(path)).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'input_file',
      message: expect.not.stringContaining('a.png'),
    })
  })

  it.each([
    [PNG, 'image/png'],
    ['/9j/AA==', 'image/jpeg'],
    ['R0lGAA==', 'image/gif'],
    ['UklGAA==', 'image/webp'],
    ['AAAA', 'image/png'],
  ])('as a data URI has the type of its bytes: %j is %s', async (text, type) => {
    expect(await toDataUrl(text)).toBe(`data:${type};base64,${text}`)
    expect(await toDataUrl(`data:image/x;base64,${text}`)).toBe(`data:image/x;base64,${text}`)
  })
})

describe('an input', () => {
  it('has its name without folders', async () => {
    await using folder = await tempDir()
    await writeFile(folder.join('a b.wav'), 'RIFF')
    expect(await readInput(folder.join('a b.wav'))).toEqual({ bytes: Buffer.from('RIFF'), name: 'a b.wav' })
  })

  it('cannot be a folder or a device, which may have no end', async () => {
    await using folder = await tempDir()
    for (const path of [folder.path, '/dev/null']) {
      await expect(readInput(path)).rejects.toMatchObject({ code: 'input_file' })
    }
  })
})

describe('an output', () => {
  async function* pieces(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text)
  }

  it('is written completely, replacing the old content', async () => {
    await using folder = await tempDir()
    const path = folder.join('out')
    await writeFile(path, 'old')
    await writeOutput(path, pieces('ne', 'w'))
    expect(await readFile(path, 'utf8')).toBe('new')
  })

  it('that fails in the middle leaves the old content', async () => {
    await using folder = await tempDir()
    const path = folder.join('out')
    await writeFile(path, 'old')
    async function* failing() {
      yield Buffer.from('ne')
      throw new Error('lost')
    }
    await expect(writeOutput(path, failing())).rejects.toThrow('lost')
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await readdir(folder.path)).toEqual(['out'])
  })

  it('that never ends is given up, and leaves nothing', async () => {
    await using folder = await tempDir()
    async function* endless() {
      for (;;) yield Buffer.alloc(1000)
    }
    const written = writeOutput(folder.join('out'), endless(), { open, rename, maxBytes: 10_000 })
    await expect(written).rejects.toMatchObject({ kind: 'internal', code: 'upstream_too_large' })
    expect(await readdir(folder.path)).toEqual([])
  })

  it('needs a path', async () => {
    await expect(writeOutput('', pieces('x'))).rejects.toMatchObject({ code: 'input_file' })
  })
  describe('that cannot be written', () => {
    const failing = (code: string) => async () => {
      throw Object.assign(new Error(`${code}: /srv/output`), { code })
    }
    /** The real disk, except for one call. */
    const diskThat = (call: 'open' | 'write' | 'close' | 'rename', code: string): OutputDisk => ({
      async open(path, flags, mode) {
        if (call === 'open') return await failing(code)()
        const file = await open(path, flags, mode)
        return {
          writeFile: call === 'write' ? failing(code) : (piece) => file.writeFile(piece),
          async close() {
            await file.close()
            if (call === 'close') await failing(code)()
          },
        }
      },
      rename: call === 'rename' ? failing(code) : rename,
    })

    it.each([
      ['open', 'ENOSPC', 'insufficient_storage', 'disk_full'],
      ['write', 'ENOSPC', 'insufficient_storage', 'disk_full'],
      ['write', 'EDQUOT', 'insufficient_storage', 'disk_full'],
      ['close', 'ENOSPC', 'insufficient_storage', 'disk_full'],
      ['rename', 'EDQUOT', 'insufficient_storage', 'disk_full'],
      ['open', 'EACCES', 'internal', 'file_failed'],
      ['open', 'EROFS', 'internal', 'file_failed'],
      ['write', 'EIO', 'internal', 'file_failed'],
    ] as const)('because %s fails with %s is %s and leaves the old content', async (call, code, kind, word) => {
      await using folder = await tempDir()
      const path = folder.join('out')
      await writeFile(path, 'old')
      await expect(writeOutput(path, pieces('new'), diskThat(call, code))).rejects.toMatchObject({
        kind,
        code: word,
        message: expect.not.stringContaining('/srv'),
      })
      expect(await readFile(path, 'utf8')).toBe('old')
      expect(await readdir(folder.path)).toEqual(['out'])
    })

    it('with an invalid or missing folder is the fault of the host', async () => {
      await using folder = await tempDir()
      await writeFile(folder.join('file'), '')
      for (const path of ['file/out', 'missing/out']) {
        await expect(writeOutput(folder.join(path), pieces('x'))).rejects.toMatchObject({
          kind: 'internal',
          code: 'file_failed',
        })
      }
    })
  })
})
