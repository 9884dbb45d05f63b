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
    const header = await checkModelFiles(await write('a.gguf', MODEL))
    expect(header.keys.get('general.architecture')).toBe('llama')
  })

  it('are named without their folder when they are at fault', async () => {
    await expect(checkModelFiles(join(folder, 'none.gguf'))).rejects.toThrow(/^none\.gguf: no such file$/)
    await expect(checkModelFiles(folder)).rejects.toThrow(/^files-\w+: (is a folder|not a GGUF file|cannot be read)$/)
    const empty = await write('empty.gguf', Buffer.alloc(0))
    await expect(checkModelFiles(empty)).rejects.toThrow(/^empty\.gguf: not a GGUF file$/)
  })

  it('are checked in all their parts', async () => {
    const first = await write('m-00001-of-00002.gguf', MODEL)
    await expect(checkModelFiles(first)).rejects.toThrow(/^m-00002-of-00002\.gguf: no such file$/)
    await write('m-00002-of-00002.gguf', MODEL.subarray(0, 500))
    await expect(checkModelFiles(first)).rejects.toThrow(/^m-00002-of-00002\.gguf: /)
    await write('m-00002-of-00002.gguf', MODEL)
    await checkModelFiles(first)
    await expect(checkModelFiles(await write('m-00001-of-90000.gguf', MODEL))).rejects.toThrow(/too many parts/)
  })
})
