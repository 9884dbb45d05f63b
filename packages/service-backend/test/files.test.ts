import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { readInput, toBase64, toDataUrl, writeOutput } from '../src/files.ts'

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

  it('is written whole, in place of what was there', async () => {
    await using folder = await tempDir()
    const path = folder.join('out')
    await writeFile(path, 'old')
    await writeOutput(path, pieces('ne', 'w'))
    expect(await readFile(path, 'utf8')).toBe('new')
  })

  it('that fails in the middle leaves what was there', async () => {
    await using folder = await tempDir()
    const path = folder.join('out')
    await writeFile(path, 'old')
    async function* failing() {
      yield Buffer.from('ne')
      throw new Error('lost')
    }
    await expect(writeOutput(path, failing())).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await readdir(folder.path)).toEqual(['out'])
  })

  it('needs a path', async () => {
    await expect(writeOutput('', pieces('x'))).rejects.toMatchObject({ code: 'input_file' })
  })
})
