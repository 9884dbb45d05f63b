import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { createStoredHashes, noteNewHash, putInPlace, SIDECARS } from './stored-files.ts'

const dir = await tempDir('svc-hashes-')
afterAll(() => dir.close())

const toHash = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('the hash of a file that was fetched in advance', () => {
  it('is noted, but not for a file that a front end has put in its place', async () => {
    const path = dir.join('x.gguf')
    await writeFile(path, 'fetched')
    expect(await noteNewHash(path, toHash('fetched'))).toBe(toHash('fetched'))
    expect(await readFile(path + SIDECARS.hash, 'utf8')).toBe(toHash('fetched'))

    await writeFile(dir.join('sent'), 'sent')
    await putInPlace(path, dir.join('sent'), toHash('sent'))
    expect(await noteNewHash(path, toHash('fetched'))).toBe(toHash('sent'))
    expect(await createStoredHashes().read(path)).toBe(toHash('sent'))
  })
})
