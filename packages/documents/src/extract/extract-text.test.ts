import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractText } from './extract-text.ts'
import { createTextPieces } from './text-pieces.ts'

const { signal } = new AbortController()
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

const read = (bytes: Uint8Array | string, name = 'note.txt') =>
  extractText(typeof bytes === 'string' ? encode(bytes) : bytes, { name, signal })
const text = async (bytes: Uint8Array | string, name?: string) => (await read(bytes, name)).text

function encodeWide(content: string, isBig: boolean): Uint8Array {
  const bytes = Buffer.from(`\ufeff${content}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

describe('extractText', () => {
  it('reads texts of every kind as they are', async () => {
    expect(await read('# Title\n\n*text*', 'README.md')).toEqual({ type: 'markdown', text: '# Title\n\n*text*' })
    for (const begun of ['GGUF is a format', 'RIFF', 'ID3 tags of songs'])
      expect(await read(begun)).toEqual({ type: 'text', text: begun })
    for (const name of ['a.csv', 'main.rs', 'Makefile', 'x.unknown', '', '../../etc/passwd', `${'n'.repeat(5000)}.txt`])
      expect(await read('a,b\r\n1,2', name), name).toEqual({ type: 'text', text: 'a,b\r\n1,2' })
  })

  it('knows UTF-8 and UTF-16 by their marks', async () => {
    const content = 'Grüße, 東京 👩‍👩‍👧'
    expect(await text(`\ufeff${content}`)).toBe(content)
    expect(await text(encodeWide(content, false))).toBe(content)
    expect(await text(encodeWide(content, true))).toBe(content)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (any) => {
        fc.pre(!any.includes('\0') && !any.startsWith('\ufeff') && any !== '')
        for (const isBig of [false, true]) expect(await text(encodeWide(any, isBig))).toBe(any)
      }),
      { numRuns: 50 },
    )
  })

  it('refuses bytes that are not text', async () => {
    const broken = [
      latin('caf\xe9'),
      latin('\xff\xfeabc'),
      latin('\xff\xfe\x00\xd8a\x00'),
      latin('\xff\xfea\x00\x00\x00'),
    ]
    for (const bytes of [...broken, encode(`${'a'.repeat(5000)}\0`)])
      await expect(read(bytes), Buffer.from(bytes).toString('hex').slice(0, 20)).rejects.toMatchObject({
        kind: 'invalid_request',
        code: 'invalid_document',
      })
  })

  it('names the types that it cannot read', async () => {
    const refused: readonly (readonly [Uint8Array, string, RegExp])[] = [
      [latin('%PDF-1.7'), 'paper.txt', /PDF/],
      [latin('PK\x03\x04....'), 'letter.DOCX', /Word/],
      [latin('PK\x03\x04....'), 'stuff.zip', /ZIP/],
      [latin('\x89PNG\r\n\x1a\n'), 'a.md', /PNG/],
      [latin('a\0b'), 'a.html', /binary/],
      [latin('\x7fELF'), 'run', /programs/],
      [latin('GGUF\x03\0\0\0'), 'model', /GGUF/],
      [latin('RIFF....WAVEfmt \x10\0'), 'a.txt', /RIFF/],
    ]
    for (const [bytes, name, message] of refused)
      await expect(read(bytes, name), name).rejects.toMatchObject({
        kind: 'unsupported_media',
        code: 'unsupported_document',
        message: expect.stringMatching(message) as string,
      })
  })

  it('reads pages without tags, scripts and styles', async () => {
    const page = `<!DOCTYPE html><html><head><title>The  page</title><style>p { color: red }</style>
      <script>if (1 < 2) document.write('<p>no</p>')</script></head>
      <body><h2>Over<em>view</em></h2><p>One &amp; two&nbsp;<b>three</b>,
      four</p><ul><li>first<li>second <svg><text>drawn</text></svg></ul>
      <pre>  kept\n    so</pre><table><tr><td>a</td><td>b</td></tr></table><!-- never -->
      <img src=x alt="a cat"><noscript>none</noscript></body></html>`
    expect(await read(page, 'page')).toEqual({
      type: 'html',
      text: 'The page\n\n## Overview\n\nOne & two three, four\n\n- first\n- second\n\n  kept\n    so\n\na b\n\na cat',
    })
    expect(await text('plain &lt; text', 'a.htm')).toBe('plain < text')
  })

  it('reads hostile pages within bounds', async () => {
    await expect(text('<b>'.repeat(100_000), 'deep.html')).rejects.toMatchObject({ code: 'document_limit' })
    expect(await text('</b>'.repeat(200_000), 'a.html')).toBe('')
    expect(await text(`<a ${'b="c" '.repeat(100_000)}>x`, 'a.html')).toBe('x')
    expect(await text(`<!--${'-'.repeat(500_000)}`, 'a.html')).toBe('')
    expect(await text('&#0;&#xD800;&#x110000;ok', 'a.html')).toMatch(/ok$/)
    expect(await text('&#0;&#xD800;ok', 'a.html')).not.toMatch(/\p{Surrogate}|\0/u)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('<p>', '</', '<script', '>', '<!--', '&amp', '"', 'x', '<svg/>')),
        async (parts) => {
          expect(typeof (await text(parts.join(''), 'a.html'))).toBe('string')
        },
      ),
    )
  })

  it('writes JSON as lines', async () => {
    const json = '{"name": "svc", "tags": ["a", {"b": null}], "empty": [], "deep": {"n": 1.50, "ok": true}}'
    expect(await read(json, 'package.json')).toEqual({
      type: 'json',
      text: 'name: svc\ntags:\n  - a\n  -\n    b: null\nempty: []\ndeep:\n  n: 1.5\n  ok: true',
    })
    expect(await text('"one\\ud800"', 'a.json')).toBe('one\ufffd')
    expect(await text(`${'['.repeat(60)}1${']'.repeat(60)}`, 'a.json')).toBe(
      [
        ...Array.from({ length: 59 }, (_, level) => `${'  '.repeat(Math.min(level, 16))}-`),
        `${'  '.repeat(16)}- 1`,
      ].join('\n'),
    )
    for (const wrong of ['{', '{"a": 1} x', '['.repeat(100_000), '"\\u0000"'])
      await expect(text(wrong, 'a.json'), wrong.slice(0, 9)).rejects.toMatchObject({ code: 'invalid_document' })
  })

  it('writes deep JSON within bounds', async () => {
    const deep = `${'['.repeat(100)}${'0,'.repeat(100_000)}0${']'.repeat(100)}`
    expect((await text(deep, 'a.json')).length).toBeLessThan(20 * deep.length)
    const pieces = createTextPieces(10_000)
    for (let index = 0; index < 5000; index += 1) pieces.add('ab')
    expect(pieces.join()).toBe('ab'.repeat(5000))
    expect(() => pieces.add('c')).toThrow(expect.objectContaining({ code: 'document_limit' }))
  })

  it('reads the first text of an image, and no image in what is left out', async () => {
    expect(await text('<p>a<img ALT="b" alt="c"><a alt="d">e</a><svg><img alt="f"></svg><img src=x>', 'a.html')).toBe(
      'abe',
    )
  })

  it('refuses documents that are too large, and ends with its signal', async () => {
    await expect(extractText(encode('abc'), { name: 'a', maxBytes: 2, signal })).rejects.toMatchObject({
      kind: 'too_large',
      code: 'document_limit',
    })
    await expect(
      extractText(encode('abc'), { name: 'a', signal: AbortSignal.abort(new Error('over')) }),
    ).rejects.toThrow('over')
  })
})
