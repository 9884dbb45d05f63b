import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { tempDir } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkName, isSafeName, openInside, toFileName, toModelFileName } from './safe-path.ts'

const MAKE_PIPE = 'mkfifo'

async function catchCode(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => new Error('nothing was thrown'),
    (reason: unknown) => reason,
  )
  return SvcError.is(error) ? error.code : String(error)
}

describe('NAME-1: a name', () => {
  it.each([
    'a',
    'model.gguf',
    'org/model',
    'Qwen2.5-0.5B (q4)',
    'модель',
    '模型',
    'a'.repeat(200),
    'a..b',
    'CON',
    'x ',
  ])('may be %j', (name) => {
    expect(isSafeName(name)).toBe(true)
  })
  it.each([
    '',
    '.',
    '..',
    '.hidden',
    '../x',
    'a/../b',
    'a/..',
    'a/./b',
    'a//b',
    'a/',
    '/etc/passwd',
    '-flag',
    'a\\b',
    'a\0b',
    'a\nb',
    'a\u202eb',
    'a\u200eb',
    'a\ufe0f',
    'a\u3164b',
    'a\u034fb',
    'a\u2800b',
    'a\u{e0100}',
    'a\ud800',
    'a'.repeat(201),
    'é'.repeat(101),
  ])('may not be %j', (name) => {
    expect(isSafeName(name)).toBe(false)
    expect(() => checkName(name, 'model')).toThrow(
      expect.objectContaining({ kind: 'invalid_request', code: 'invalid_name' }),
    )
  })
})

describe('the file name of a name', () => {
  it.each([
    ['model.gguf', 'model.gguf'],
    ['org/model', 'org%2Fmodel'],
    ['50%', '50%25'],
    ['é', '%C3%A9'],
    ['CON', '%43ON'],
    ['nul.txt', '%6Eul.txt'],
    ['console', 'console'],
    ['end.', 'end%2E'],
    ['end ', 'end%20'],
  ])('of %j is %j', (name, file) => {
    expect(toFileName(name)).toBe(file)
  })
  it('is one plain segment within the limit, and different for different names', () => {
    const name = fc.string({ unit: 'binary', maxLength: 80 }).filter(isSafeName)
    fc.assert(
      fc.property(name, name, (left, right) => {
        expect(toFileName(left)).toMatch(/^[\w%~-][\w.%~-]{0,179}$/)
        expect(toFileName(left) === toFileName(right)).toBe(left === right)
      }),
      { numRuns: 500 },
    )
  })
  it('is shortened with a digest where escapes make it long', () => {
    const [one, two] = [`${'é'.repeat(99)}a`, `${'é'.repeat(99)}b`]
    expect(toFileName(one)).toMatch(/^(%C3%A9)+[%\w]*~[0-9a-f]{40}$/)
    expect(toFileName(one)).not.toBe(toFileName(two))
  })
})

describe('opening a file inside a folder', () => {
  it('gives a regular file, also from a folder below', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('root/sub'), { recursive: true })
    await writeFile(dir.join('root/sub/a'), 'content')
    const handle = await openInside(dir.join('root'), 'sub/a', { what: 'model file' })
    expect(await handle.readFile('utf8')).toBe('content')
    await handle.close()
  })
  it('works where the folder itself is a link', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('real'))
    await writeFile(dir.join('real/a'), 'content')
    await symlink('real', dir.join('root'))
    await (await openInside(dir.join('root'), 'a', { what: 'model file' })).close()
  })
  it('refuses links, folders, pipes, and files outside of the folder', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('root/sub'), { recursive: true })
    await mkdir(dir.join('root2'))
    await writeFile(dir.join('secret'), 'canary')
    await writeFile(dir.join('root2/a'), 'canary')
    await writeFile(dir.join('root/real'), 'x')
    await symlink('../secret', dir.join('root/link'))
    await symlink('real', dir.join('root/inner-link'))
    await symlink('../root2', dir.join('root/outside'))
    const open = (path: string) => catchCode(openInside(dir.join('root'), path, { what: 'model file' }))
    expect(await open('link')).toBe('invalid_file')
    expect(await open('inner-link')).toBe('invalid_file')
    expect(await open('outside/a')).toBe('invalid_file')
    expect(await open('sub')).toBe('invalid_file')
    expect(await open('../secret')).toBe('invalid_name')
    expect(await open('missing')).toBe('file_not_found')
    expect(await open('real/below')).toBe('file_not_found')
    if (process.platform === 'win32') return
    execFileSync(MAKE_PIPE, [dir.join('root/pipe')])
    expect(await open('pipe')).toBe('invalid_file')
  })
  it('names no folders in its messages', async () => {
    await using dir = await tempDir()
    const error: unknown = await openInside(dir.path, 'missing', { what: 'model file' }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ kind: 'not_found', message: 'model file not found' })
  })
})

it.each([
  ['house', 'house'],
  ['team/chat', 'team__chat'],
  ['a/b/c.gguf', 'a__b__c.gguf'],
  ['Qwen 2.5 (q4)', 'Qwen%202.5%20%28q4%29'],
  ['con', '%63on'],
  ['モデル/x', `${[...Buffer.from('モデル')].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('')}__x`],
])('the files of the model %s begin with %s', (name, stem) => {
  expect(toModelFileName(name)).toBe(stem)
})
