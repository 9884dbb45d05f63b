import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_HEAD_BYTES, MAX_INTERIM_REPLIES, ReplyParser } from './parser.ts'

interface Read {
  readonly status: number | undefined
  readonly body: string
  readonly isComplete: boolean
  readonly hasSurplus: boolean
}

/**
 * Parses a reply from pieces. Each piece is copied into a buffer that the parser may overwrite, with old bytes after
 * it.
 */
function read(pieces: readonly (string | Uint8Array)[], { isHead = false, isClosed = false } = {}): Read {
  const parser = new ReplyParser()
  parser.reset(isHead)
  let body = ''
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
    const buffer = Buffer.concat([bytes, Buffer.from('\r\n\r\nold bytes of another reply')])
    parser.execute(buffer, bytes.length)
    body += buffer.toString('latin1', parser.bodyStart, parser.bodyEnd)
  }
  if (isClosed) parser.finish()
  return { status: parser.head?.status, body, isComplete: parser.isComplete, hasSurplus: parser.hasSurplus }
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

describe('whole replies', () => {
  it.each<[string, string, { isHead?: boolean; isClosed?: boolean }, Partial<Read>]>([
    ['a fixed length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', {}, { body: 'hello', isComplete: true }],
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', {}, { status: 200, isComplete: true }],
    ['chunks', `${CHUNKED}5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n`, {}, { body: 'hello world', isComplete: true }],
    ['trailers', `${CHUNKED}1\r\nx\r\n0\r\nDigest: y\r\nA: b\r\n\r\n`, {}, { body: 'x', isComplete: true }],
    ['capital hexadecimal', `${CHUNKED}A\r\n0123456789\r\n0\r\n\r\n`, {}, { body: '0123456789', isComplete: true }],
    ['the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nabc', { isClosed: true }, { body: 'abc', isComplete: true }],
    ['an open connection', 'HTTP/1.1 200 OK\r\n\r\nabc', {}, { body: 'abc', isComplete: false }],
    ['HEAD', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n', { isHead: true }, { body: '', isComplete: true }],
    ['204', 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n', {}, { isComplete: true }],
    ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n', {}, { isComplete: true }],
    ['an interim reply', `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${CHUNKED}0\r\n\r\n`, {}, { status: 200 }],
    ['bytes too many', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nabc', {}, { body: 'a', hasSurplus: true }],
    ['bytes after 204', 'HTTP/1.1 204 No Content\r\n\r\nabc', {}, { body: '', hasSurplus: true }],
    ['too few bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc', { isClosed: true }, { isComplete: false }],
    ['half a chunk', `${CHUNKED}5\r\nab`, { isClosed: true }, { body: 'ab', isComplete: false }],
    ['no last chunk', `${CHUNKED}2\r\nab\r\n`, { isClosed: true }, { isComplete: false }],
    ['no end of the trailers', `${CHUNKED}2\r\nab\r\n0\r\n`, { isClosed: true }, { isComplete: false }],
  ])('%s', (_, bytes, options, expected) => {
    expect(read([bytes], options)).toMatchObject(expected)
  })

  it('gives the same for every cut in two and for single bytes', () => {
    const bytes = `HTTP/1.1 100 Continue\r\n\r\n${CHUNKED}5;x="y"\r\nhello\r\n6\r\n world\r\n0\r\nT: u\r\n\r\n`
    const whole = read([bytes])
    expect(whole).toEqual({ status: 200, body: 'hello world', isComplete: true, hasSurplus: false })
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(read([bytes.slice(0, cut), bytes.slice(cut)]), `cut at ${cut}`).toEqual(whole)
    }
    expect(read([...bytes])).toEqual(whole)
  })

  it('gives the bodies of any chunks in any cuts', () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 12 }), (chunks, cuts) => {
        const framed = chunks.flatMap((bytes) => [
          Buffer.from(`${bytes.length.toString(16)}\r\n`),
          bytes,
          Buffer.from('\r\n'),
        ])
        const bytes = Buffer.concat([Buffer.from(CHUNKED), ...framed, Buffer.from('0\r\n\r\n')])
        const edges = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length]
        const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
        const body = Buffer.concat(chunks).toString('latin1')
        expect(read(pieces)).toEqual({ status: 200, body, isComplete: true, hasSurplus: false })
      }),
    )
  })
})

describe('invalid replies', () => {
  const ok = (fields: string, body = ''): string => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n${body}`

  it.each([
    ['two lengths', ok('content-length: 1\r\ncontent-length: 2')],
    ['the same length twice', ok('content-length: 1\r\ncontent-length: 1')],
    ['a list of lengths', ok('content-length: 1, 1')],
    ['a signed length', ok('content-length: +1')],
    ['a negative length', ok('content-length: -1')],
    ['a hexadecimal length', ok('content-length: 0x1')],
    ['an empty length', ok('content-length: ')],
    ['a length past all numbers', ok(`content-length: ${'9'.repeat(30)}`)],
    ['a bad length of an empty reply', 'HTTP/1.1 204 No Content\r\ncontent-length: x\r\n\r\n'],
    ['length and coding', ok('content-length: 5\r\ntransfer-encoding: chunked')],
    ['coding and length', ok('transfer-encoding: chunked\r\ncontent-length: 5')],
    ['two codings', ok('transfer-encoding: gzip, chunked')],
    ['a coding twice', ok('transfer-encoding: chunked\r\ntransfer-encoding: chunked')],
    ['another coding', ok('transfer-encoding: identity')],
    ['a disguised coding', ok('transfer-encoding: xchunked')],
    ['a coding of the old protocol', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a folded line', ok('a: b\r\n c: d')],
    ['a folded first line', ok(' a: b')],
    ['a blank before the colon', ok('content-length : 5')],
    ['no colon', ok('content-length')],
    ['no name', ok(': x')],
    ['a bare line feed', ok('a: b\ncontent-length: 5')],
    ['a bare carriage return', ok('a: b\rcontent-length: 5')],
    ['NUL', ok('a: b\0c')],
    ['a name that is not a token', ok('a(b): c')],
    ['line feeds alone', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
    ['another protocol', 'HTTP/2 200\r\n\r\n'],
    ['no protocol', '<html>not HTTP</html>\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status past all statuses', 'HTTP/1.1 600 No\r\n\r\n'],
    ['a changed protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['a chunk without size', `${CHUNKED}\r\nhello`],
    ['a chunk size that is none', `${CHUNKED}5g\r\nhello`],
    ['a blank after the size', `${CHUNKED}5 \r\nhello\r\n`],
    ['a prefix before the size', `${CHUNKED}0x5\r\nhello\r\n`],
    ['a signed size', `${CHUNKED}-5\r\nhello\r\n`],
    ['a size past all numbers', `${CHUNKED}${'f'.repeat(17)}\r\n`],
    ['a size line that ends in a line feed', `${CHUNKED}5\nhello\r\n`],
    ['a chunk longer than its size', `${CHUNKED}4\r\nhello\r\n`],
    ['a chunk that ends in a line feed', `${CHUNKED}5\r\nhello\n0\r\n\r\n`],
    ['a line feed in an extension', `${CHUNKED}5;a\nb\r\nhello\r\n`],
    ['an endless extension', `${CHUNKED}5;${'a'.repeat(5000)}`],
    ['a folded trailer', `${CHUNKED}0\r\n a: b\r\n\r\n`],
    ['a bare line feed in the trailers', `${CHUNKED}0\r\na: b\n\r\n`],
    ['endless trailers', `${CHUNKED}0\r\n${'a: b\r\n'.repeat(20_000)}`],
    ['an endless header', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(MAX_HEAD_BYTES)}`],
    ['too many headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}\r\n`],
    ['too many interim replies', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(MAX_INTERIM_REPLIES + 1)],
  ])('%s', (_, bytes) => {
    const failure = { code: 'upstream_failed', details: { reason: 'invalid_reply' } }
    expect(() => read([bytes])).toThrow(expect.objectContaining(failure))
    const pieces = bytes.match(/[\s\S]{1,7}/g) ?? []
    expect(() => read(pieces)).toThrow(expect.objectContaining(failure))
  })

  it('ends within bounded time and throws no other error, for any bytes', () => {
    const part = fc.oneof(
      fc.constantFrom(
        CHUNKED,
        'HTTP/1.1 200 OK\r\n',
        '\r\n',
        '\n',
        '5\r\n',
        'content-length: 3\r\n',
        '0\r\n\r\n',
        ': ',
      ),
      fc.string({ maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        try {
          read(parts)
        } catch (error) {
          expect(error).toMatchObject({ code: 'upstream_failed' })
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the connection after a reply', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', { keepAlive: true, keepAliveSeconds: undefined }],
    ['HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 0\r\n\r\n', { keepAlive: false }],
    ['HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\ncontent-length: 0\r\n\r\n', { keepAlive: false }],
    ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', { keepAlive: false }],
    ['HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n', { keepAlive: true }],
    ['HTTP/1.1 200 OK\r\nKeep-Alive: max=3, timeout=7\r\ncontent-length: 0\r\n\r\n', { keepAliveSeconds: 7 }],
  ])('%j', (bytes, expected) => {
    const parser = new ReplyParser()
    parser.reset(false)
    parser.execute(Buffer.from(bytes), bytes.length)
    expect(parser.head).toMatchObject(expected)
  })
})
