import { mkdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { findCanaries, findCanariesInFiles, findCanariesInValues, makeCanary } from './canary.ts'
import { tempDir } from './temp-dir.ts'

const canary = makeCanary('prompt')
const other = makeCanary('key', { plain: true })
const forms = (text: string | Uint8Array) => findCanaries(text, [canary, other]).map(({ form }) => form)

describe('makeCanary', () => {
  it('never makes the same twice, and plain ones that fit a header', () => {
    expect(makeCanary('a').value).not.toBe(makeCanary('a').value)
    expect(other.value).toMatch(/^[a-z0-9-]+$/)
  })
})

describe('findCanaries', () => {
  it('finds nothing in clean texts', () => {
    expect(forms(`some text ${makeCanary('prompt').value}`)).toEqual([])
  })

  it.each([
    ['plain', `a ${canary.value} b`],
    ['json', JSON.stringify({ a: canary.value })],
    [
      'json',
      JSON.stringify(canary.value).replace(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    ],
    ['percent', `/search?q=${encodeURIComponent(canary.value)}`],
    ['percent', encodeURIComponent(canary.value).replaceAll('%20', '+')],
    ['hex', Buffer.from(canary.value).toString('hex')],
  ] as const)('finds it written as %s', (form, text) => {
    expect(forms(text)).toContain(form)
  })

  it('finds it in base64 wherever it starts in the encoded text', () => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const bytes = Buffer.from(`${before}${canary.value} and more`)
      expect(forms(bytes.toString('base64')), before).toContain('base64')
      expect(forms(bytes.toString('base64url')), before).toContain('base64url')
    }
  })

  it('finds its middle alone, when that is all that leaked', () => {
    const middle = /[0-9a-f]{24}/.exec(canary.value)?.[0]
    expect(findCanaries(`first ${middle}`, [canary])).toEqual([
      { canary: 'prompt', form: 'core', where: 'text', offset: 6 },
    ])
  })

  it('finds it among bytes that are no text', () => {
    const bytes = Buffer.concat([Buffer.of(0xff, 0xfe, 0), Buffer.from(other.value), Buffer.of(0xc3)])
    expect(forms(bytes)).toEqual(['plain'])
  })
})

describe('findCanariesInValues', () => {
  it('looks into fields, errors, causes and bytes, and names the line', () => {
    const deep = new Error('x', { cause: { body: Buffer.from(canary.value) } })
    const loop = { key: new Map([['a', new Set([other.value])]]), self: {} }
    loop.self = loop
    expect(findCanariesInValues(['clean', { error: deep }, loop], [canary, other], 'log line')).toEqual([
      { canary: 'prompt', form: 'plain', where: 'log line 1', offset: expect.any(Number) },
      { canary: 'key', form: 'plain', where: 'log line 2', offset: expect.any(Number) },
    ])
  })
})

describe('findCanariesInFiles', () => {
  it('looks into every file below and at their names', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('a', other.value), { recursive: true })
    await writeFile(dir.join('a', 'clean.txt'), 'nothing')
    await writeFile(dir.join('a', 'b.bin'), Buffer.concat([Buffer.of(0), Buffer.from(canary.value)]))
    const sightings = await findCanariesInFiles([dir.path], [canary, other])
    expect(sightings).toHaveLength(2)
    expect(sightings).toContainEqual({ canary: 'prompt', form: 'plain', where: dir.join('a', 'b.bin'), offset: 1 })
    expect(sightings.find((sighting) => sighting.canary === 'key')?.where).toMatch(/^name of /)
  })

  it('fails without anything to search', async () => {
    await expect(findCanariesInFiles(['/nonexistent/log'], [canary])).rejects.toThrow('ENOENT')
  })
})
