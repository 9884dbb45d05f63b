import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openModelFolder } from '../../catalog/model-folder.ts'
import { MAX_TEMPLATE_BYTES, openTemplateFile } from './template-file.ts'

/** A time long after all writes of the test. */
const later = () => Date.now() + 60_000

function open(dir: TempDir, name: string, now: () => number = Date.now) {
  return openTemplateFile(openModelFolder(dir.path), name, { now })
}

describe('a template file', () => {
  it('is read as UTF-8, to its last line end', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.tmpl'), 'Grüße {{.Input}} 日本\r\n')
    expect(open(dir, 'a.tmpl').read()).toEqual({ text: 'Grüße {{.Input}} 日本\r\n' })
  })

  it('may lie in a folder below', async () => {
    await using dir = await tempDir()
    mkdirSync(dir.join('sub/deep'), { recursive: true })
    writeFileSync(dir.join('sub/deep/a.tmpl'), 'deep')
    expect(open(dir, 'sub/deep/a.tmpl').read()).toEqual({ text: 'deep' })
  })

  it('is undefined without a file, and read once the file exists', async () => {
    await using dir = await tempDir()
    const file = open(dir, 'a.tmpl')
    expect(file.read()).toBeUndefined()
    writeFileSync(dir.join('a.tmpl'), 'now')
    expect(file.read()).toEqual({ text: 'now' })
    rmSync(dir.join('a.tmpl'))
    expect(file.read()).toBeUndefined()
  })

  it.each([Date.now, later])('is read again when it changes', async (now) => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.tmpl'), 'one')
    const file = open(dir, 'a.tmpl', now)
    expect(file.read()).toEqual({ text: 'one' })
    writeFileSync(dir.join('a.tmpl'), 'another')
    expect(file.read()).toEqual({ text: 'another' })
  })

  it('is not read again while it stays, but for a moment after it changed', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.tmpl'), 'one')
    const settled = open(dir, 'a.tmpl', later)
    expect(settled.read()).toBe(settled.read())
    const fresh = open(dir, 'a.tmpl', Date.now)
    expect(fresh.read()).not.toBe(fresh.read())
  })

  it('is not larger than the limit', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('a.tmpl'), 'x'.repeat(MAX_TEMPLATE_BYTES))
    expect(open(dir, 'a.tmpl').read()).toEqual({ text: 'x'.repeat(MAX_TEMPLATE_BYTES) })
    writeFileSync(dir.join('a.tmpl'), 'x'.repeat(MAX_TEMPLATE_BYTES + 1))
    expect(open(dir, 'a.tmpl').read()).toEqual({ fault: 'is larger than 1048576 bytes' })
  })

  it.each([
    '../a.tmpl',
    '/etc/a.tmpl',
    '.a.tmpl',
    '-a.tmpl',
    'a/../a.tmpl',
    'a//a.tmpl',
    'line\na.tmpl',
    '',
    'x'.repeat(300),
  ])('is never %j', async (name) => {
    await using dir = await tempDir()
    mkdirSync(dir.join('models/a'), { recursive: true })
    for (const place of ['a.tmpl', 'models/a.tmpl', 'models/.a.tmpl', 'models/-a.tmpl', 'models/a/a.tmpl']) {
      writeFileSync(dir.join(place), 'secret')
    }
    const file = openTemplateFile(openModelFolder(dir.join('models')), name, { now: Date.now })
    expect(file.read()).toBeUndefined()
  })

  it('never lies outside the folder, even through links', async () => {
    await using dir = await tempDir()
    mkdirSync(dir.join('models'))
    mkdirSync(dir.join('outside'))
    writeFileSync(dir.join('outside/a.tmpl'), 'secret')
    symlinkSync(dir.join('outside/a.tmpl'), dir.join('models/a.tmpl'))
    symlinkSync(dir.join('outside'), dir.join('models/sub'))
    const folder = openModelFolder(dir.join('models'))
    const read = (name: string) => openTemplateFile(folder, name, { now: Date.now }).read()
    expect(read('a.tmpl')).toEqual({ fault: 'is a link to outside the folder' })
    expect(read('sub/a.tmpl')).toEqual({ fault: 'lies outside the models folder' })
  })

  it('may be a link inside the folder', async () => {
    await using dir = await tempDir()
    writeFileSync(dir.join('real.tmpl'), 'real')
    symlinkSync('real.tmpl', dir.join('a.tmpl'))
    expect(open(dir, 'a.tmpl').read()).toEqual({ text: 'real' })
  })

  it('is no folder and no pipe', async () => {
    await using dir = await tempDir()
    mkdirSync(dir.join('a.tmpl'))
    execFileSync('mkfifo', [dir.join('b.tmpl')])
    expect(open(dir, 'a.tmpl').read()).toBeUndefined()
    expect(open(dir, 'b.tmpl').read()).toEqual({ fault: 'is not a regular file' })
  })
})
