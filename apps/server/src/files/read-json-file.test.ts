import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { describeProblem, findLine, MAX_JSON_FILE_BYTES, readJsonFile } from './read-json-file.ts'

const MAKE_PIPE = 'mkfifo'

async function readProblem(path: string): Promise<string> {
  const read = await readJsonFile(path)
  if (read.state !== 'unreadable') throw new Error(`it was ${read.state}`)
  return describeProblem(read.problem)
}

describe('reading a JSON file', () => {
  it('gives its value ', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('a.json'), '{"a": [1, "é"]}\n')
    const read = await readJsonFile(dir.join('a.json'))
    if (read.state !== 'read') throw new Error(read.state)
    expect(read.root.toValue()).toEqual({ a: [1, 'é'] })
  })
  it('knows the line of each part', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('a.json'), '{\n"a": 1,\n\n"b": 2}')
    const read = await readJsonFile(dir.join('a.json'))
    if (read.state !== 'read') throw new Error(read.state)
    expect([...read.root.entries()].map(({ value }) => findLine(value))).toEqual([2, 4])
  })
  it('tells absence from trouble', async () => {
    await using dir = await tempDir()
    expect(await readJsonFile(dir.join('a.json'))).toEqual({ state: 'absent' })
    await mkdir(dir.join('folder.json'))
    expect(await readProblem(dir.join('folder.json'))).toMatch(
      /^folder\.json: it (is not a regular file|cannot be read: it is a folder)$/,
    )
  })
  it('follows a link, as orchestrators mount configuration', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('real'), '[]')
    await symlink('real', dir.join('a.json'))
    expect(await readJsonFile(dir.join('a.json'))).toMatchObject({ state: 'read' })
  })
  it('names the line of a mistake and never repeats the content', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('keys.json'), '[\n  "sk-canary",\n  sk-canary\n]')
    const problem = await readProblem(dir.join('keys.json'))
    expect(problem).toMatch(/^keys\.json:3: /)
    expect(problem).not.toContain('canary')
  })
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['half a file', Buffer.from('{"api_keys": ["a')],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['two documents', Buffer.from('{}{}')],
    ['a deep nest', Buffer.from('['.repeat(65) + ']'.repeat(65))],
  ])('reports %s', async (_what, bytes) => {
    await using dir = await tempDir()
    await writeFile(dir.join('a.json'), bytes)
    expect(await readProblem(dir.join('a.json'))).toMatch(/^a\.json:1: /)
  })
  it('reads up to its limit in size and no further', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('a.json'), `"${'a'.repeat(MAX_JSON_FILE_BYTES - 2)}"`)
    expect((await readJsonFile(dir.join('a.json'))).state).toBe('read')
    await writeFile(dir.join('a.json'), `"${'a'.repeat(MAX_JSON_FILE_BYTES - 1)}"`)
    expect(await readProblem(dir.join('a.json'))).toBe('a.json: it is larger than 1048576 bytes')
  })
  it.skipIf(process.platform === 'win32')('does not wait at a pipe', async () => {
    await using dir = await tempDir()
    execFileSync(MAKE_PIPE, [dir.join('a.json')])
    expect(await readProblem(dir.join('a.json'))).toBe('a.json: it is not a regular file')
  })
  it('survives every cut and every flipped bit', async () => {
    await using dir = await tempDir()
    const whole = Buffer.from('{"api_keys":["one","two"],"threads":4}')
    for (let index = 0; index < whole.length; index += 1) {
      await writeFile(dir.join('a.json'), whole.subarray(0, index))
      expect((await readJsonFile(dir.join('a.json'))).state).toBe('unreadable')
      const flipped = Buffer.from(whole)
      flipped.writeUInt8(flipped.readUInt8(index) ^ (1 << (index % 8)), index)
      await writeFile(dir.join('a.json'), flipped)
      expect(['read', 'unreadable']).toContain((await readJsonFile(dir.join('a.json'))).state)
    }
  })
})
