import { describe, expect, it } from 'vitest'
import { HeadReader } from './request-head.ts'

const read = (text: string) => new HeadReader().read(Buffer.from(text, 'latin1'))
const PLAIN = 'POST /v1/x?a=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nX-A:  b c \r\n\r\n{}'

describe('a plain head', () => {
  it('is read as Node reads it', () => {
    expect(read(PLAIN)).toEqual({
      method: 'POST',
      target: '/v1/x?a=1',
      headers: { host: 'a', 'content-length': '2', 'x-a': 'b c' },
      rawHeaders: ['Host', 'a', 'Content-Length', '2', 'X-A', 'b c'],
      contentLength: 2,
      keepsAlive: true,
      endsAt: PLAIN.length - 2,
    })
  })

  it.each([
    ['no connection header', '', true],
    ['keep-alive', 'Connection: Keep-Alive\r\n', true],
    ['close', 'connection: close\r\n', false],
  ])('says with %s whether another request follows', (_, line, keepsAlive) => {
    expect(read(`POST / HTTP/1.1\r\n${line}\r\n`)).toMatchObject({ keepsAlive, contentLength: 0 })
  })
})

// Each is faulty, or needs more than a head and a body of known length.
describe('not plain', () => {
  it.each([
    ['nothing', ''],
    ['a method that Node does not know', 'FETCH / HTTP/1.1\r\n\r\n'],
    ['a method in lower case', 'post / HTTP/1.1\r\n\r\n'],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\n\r\n'],
    ['a target in absolute form', 'POST http://a/ HTTP/1.1\r\n\r\n'],
    ['a target in asterisk form', 'OPTIONS * HTTP/1.1\r\n\r\n'],
    ['a fragment', 'POST /#a HTTP/1.1\r\n\r\n'],
    ['a header that Node keeps as a list', 'POST / HTTP/1.1\r\nSet-Cookie: a\r\n\r\n'],
    ['a head without its end', PLAIN.slice(0, -4)],
    ['a head cut in its last line end', PLAIN.slice(0, -3)],
    ['no header and no end', 'POST / HTTP/1.1\r\n'],
    ['another version', 'POST / HTTP/1.0\r\n\r\n'],
    ['a lower-case version', 'POST / http/1.1\r\n\r\n'],
    ['two blanks', 'POST  / HTTP/1.1\r\n\r\n'],
    ['no target', 'POST HTTP/1.1\r\n\r\n'],
    ['an empty line before', '\r\nPOST / HTTP/1.1\r\n\r\n'],
    ['a target past ASCII', 'POST /\xe4 HTTP/1.1\r\n\r\n'],
    ['a control character in the target', 'POST /\x01 HTTP/1.1\r\n\r\n'],
    ['bare line feeds', 'POST / HTTP/1.1\nHost: a\n\n'],
    ['a bare line feed in a line', 'POST / HTTP/1.1\r\nA: b\nC: d\r\n\r\n'],
    ['a bare carriage return', 'POST / HTTP/1.1\r\nA: b\rC: d\r\n\r\n'],
    ['a bare carriage return at the end', 'POST / HTTP/1.1\r\nA: b\r\n\rX'],
    ['a folded line', 'POST / HTTP/1.1\r\nA: b\r\n c\r\n\r\n'],
    ['a blank before the colon', 'POST / HTTP/1.1\r\nContent-Length : 2\r\n\r\n{}'],
    ['no name', 'POST / HTTP/1.1\r\n: b\r\n\r\n'],
    ['a line without a colon', 'POST / HTTP/1.1\r\nAb\r\n\r\n'],
    ['a zero byte', 'POST / HTTP/1.1\r\nA: b\0\r\n\r\n'],
    ['a value past ASCII', 'POST / HTTP/1.1\r\nA: \xe4\r\n\r\n'],
    ['a length twice', 'POST / HTTP/1.1\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\n{}'],
    ['any name twice', 'POST / HTTP/1.1\r\nA: b\r\na: c\r\n\r\n'],
    ['lengths in a list', 'POST / HTTP/1.1\r\nContent-Length: 2, 2\r\n\r\n{}'],
    ['a signed length', 'POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n{}'],
    ['a negative length', 'POST / HTTP/1.1\r\nContent-Length: -2\r\n\r\n{}'],
    ['a length in another notation', 'POST / HTTP/1.1\r\nContent-Length: 0x2\r\n\r\n{}'],
    ['an empty length', 'POST / HTTP/1.1\r\nContent-Length: \r\n\r\n'],
    ['a length beyond counting', `POST / HTTP/1.1\r\nContent-Length: ${'9'.repeat(16)}\r\n\r\n`],
    ['chunks', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['chunks and a length', 'POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['an expectation', 'POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'],
    ['an upgrade', 'POST / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['a tab behind a length', 'POST / HTTP/1.1\r\nContent-Length: 2\t\r\n\r\n{}'],
    ['a tab behind an option', 'POST / HTTP/1.1\r\nConnection: close \t \r\n\r\n'],
    ['an option by its old name', 'POST / HTTP/1.1\r\nProxy-Connection: close\r\n\r\n'],
    ['other options of the connection', 'POST / HTTP/1.1\r\nConnection: keep-alive, TE\r\n\r\n'],
    ['a name that objects have', 'POST / HTTP/1.1\r\nconstructor: a\r\n\r\n'],
    ['a name that objects act on', 'POST / HTTP/1.1\r\n__proto__: a\r\n\r\n'],
    ['many headers', `POST / HTTP/1.1\r\n${Array.from({ length: 101 }, (_, at) => `a${at}: b\r\n`).join('')}\r\n`],
    ['a long head', `POST / HTTP/1.1\r\na: ${'b'.repeat(16_384)}\r\n\r\n`],
  ])('%s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })
})

describe('the next head of a connection', () => {
  const head = (length: string, more = '') => `POST / HTTP/1.1\r\nContent-Length: ${length}\r\nA: b\r\n${more}\r\n`

  it.each([
    ['the same', '12', ''],
    ['another length', '13', ''],
    ['a longer length', '1234', ''],
    ['another header', '12', 'C: d\r\n'],
  ])('with %s is read like the first', (_, length, more) => {
    const reader = new HeadReader()
    reader.read(Buffer.from(head('12')))
    const bytes = Buffer.from(`${head(length, more)}body`)
    expect(reader.read(bytes)).toEqual(new HeadReader().read(bytes))
    expect(reader.read(bytes)?.contentLength).toBe(Number(length))
  })

  it.each(['', 'x', '1x', '12, 12', `${'1'.repeat(16)}`, '12\r\nContent-Length: 13'])(
    'with the length %j is not plain',
    (length) => {
      const reader = new HeadReader()
      expect(reader.read(Buffer.from(head('12')))).toBeDefined()
      expect(reader.read(Buffer.from(head(length)))).toBeUndefined()
    },
  )

  it.each([
    ['short', 100, true],
    ['long', 5000, false],
  ])('is known again where the last was %s', (_, length, isKnown) => {
    const reader = new HeadReader()
    const bytes = Buffer.from(head('12', `C: ${'d'.repeat(length)}\r\n`))
    const first = reader.read(bytes)
    expect(reader.read(bytes)).toEqual(first)
    expect(reader.read(bytes) === first).toBe(isKnown)
  })

  it('is not taken for whole before it is', () => {
    const reader = new HeadReader()
    const bytes = Buffer.from(head('12'))
    reader.read(bytes)
    for (let end = 0; end < bytes.length; end += 1) expect(reader.read(bytes.subarray(0, end))).toBeUndefined()
  })
})
