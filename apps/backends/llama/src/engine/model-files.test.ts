import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { beforeEach, describe, expect, it } from 'vitest'
import { createModel } from '../../test/models.ts'
import { checkModelFiles } from './model-files.ts'

let folder: string
const MODEL = createModel()

beforeEach(async () => {
  const dir = await tempDir('files-')
  folder = dir.path
  return dir.close
})

async function write(name: string, content: Buffer): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, content)
  return file
}

describe('model files', () => {
  it('are checked for their header', async () => {
    const header = checkModelFiles(await write('a.gguf', MODEL))
    expect(header.keys.get('general.architecture')).toBe('llama')
  })

  it('are named without their folder when they are at fault', async () => {
    expect(() => checkModelFiles(join(folder, 'none.gguf'))).toThrow(/^none\.gguf: no such file$/)
    expect(() => checkModelFiles(folder)).toThrow(/^files-\w+: (is a folder|is not a GGUF file|cannot be read)$/)
    const empty = await write('empty.gguf', Buffer.alloc(0))
    expect(() => checkModelFiles(empty)).toThrow(/^empty\.gguf: is too short for a GGUF file$/)
  })

  it('are checked in all their parts', async () => {
    const first = await write('m-00001-of-00002.gguf', MODEL)
    expect(() => checkModelFiles(first)).toThrow(/^m-00002-of-00002\.gguf: no such file$/)
    await write('m-00002-of-00002.gguf', MODEL.subarray(0, 500))
    expect(() => checkModelFiles(first)).toThrow(/^m-00002-of-00002\.gguf: /)
    await write('m-00002-of-00002.gguf', MODEL)
    expect(checkModelFiles(first).version).toBe(3)
    const endless = await write('m-00001-of-90000.gguf', MODEL)
    expect(() => checkModelFiles(endless)).toThrow(/too many parts/)
  })
})
