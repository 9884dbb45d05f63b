import { STATUS_CODES } from 'node:http'
import { describe, expect, it } from 'vitest'
import { toPreparedHeaders } from './prepared-headers.ts'
import { REASON_PHRASES } from './reason-phrases.ts'
import { type Answered, Reply, type ReplySink } from './reply.ts'

function reply(answered: Answered = {}) {
  const sent: string[] = []
  const finished: boolean[] = []
  let isDestroyed = false
  const sink: ReplySink = {
    keepsAlive: true,
    connectionLines: (keepsAlive) => `Connection: ${keepsAlive ? 'keep-alive' : 'close'}\r\n`,
    send: (text, encoding) => sent.push(Buffer.from(text, encoding).toString('latin1')) > 0,
    sendBytes: (head, bytes, tail) => sent.push(head + Buffer.from(bytes).toString('latin1') + tail) > 0,
    finish: (keepsAlive) => void finished.push(keepsAlive),
    destroy: () => {
      isDestroyed = true
    },
  }
  const outgoing = new Reply(sink, answered)
  return { outgoing, sent, finished, text: () => sent.join(''), isDestroyed: () => isDestroyed }
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

describe('the head', () => {
  it('has what was given, then what was set and prepared, each name once', () => {
    const { outgoing, text } = reply()
    outgoing.prepare(
      toPreparedHeaders([
        ['X-Prepared', '1'],
        ['X-Given', 'prepared'],
        ['X-Set', 'prepared'],
      ]),
    )
    outgoing.setHeader('X-Set', 'set').setHeader('x-given', 'set')
    outgoing.appendHeader('Vary', 'A').appendHeader('vary', 'B')
    outgoing.writeHead(201, { 'X-Given': 'given', 'Content-Length': 2 }).end('ok')
    const [head = '', body] = text().split('\r\n\r\n')
    const lines = head.split('\r\n')
    expect(lines.slice(0, 7)).toEqual([
      'HTTP/1.1 201 Created',
      'X-Given: given',
      'Content-Length: 2',
      'X-Set: set',
      'vary: A',
      'vary: B',
      'X-Prepared: 1',
    ])
    expect(lines[7]).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
    expect(lines.slice(8)).toEqual(['Connection: keep-alive'])
    expect(body).toBe('ok')
  })

  it('takes names and values in turn, repeated ones too, and a date', () => {
    const { outgoing, text } = reply()
    outgoing.writeHead(200, ['set-cookie', 'a', 'set-cookie', 'b', 'date', 'now', 'content-length', '0']).end()
    expect(text()).toBe(
      'HTTP/1.1 200 OK\r\nset-cookie: a\r\nset-cookie: b\r\ndate: now\r\ncontent-length: 0\r\nConnection: keep-alive\r\n\r\n',
    )
  })

  it.each([
    ['a line end', 'a\r\nSet-Cookie: b'],
    ['a line feed', 'a\nb'],
    ['a zero byte', 'a\0'],
    ['a letter beyond a byte', 'a\u0131'],
  ])('has no place for %s', (_, value) => {
    const { outgoing, sent } = reply()
    expect(() => outgoing.setHeader('X-A', value)).toThrow(TypeError)
    expect(() => outgoing.writeHead(200, { 'X-A': value })).toThrow(TypeError)
    expect(() => outgoing.writeHead(200, ['X-A', value])).toThrow(TypeError)
    expect(() => outgoing.writeHead(200, { [value]: 'a' })).toThrow(TypeError)
    expect(sent).toEqual([])
    expect(outgoing.headersSent).toBe(false)
  })

  it('is written once, and set before', () => {
    const { outgoing } = reply()
    outgoing.writeHead(200)
    expect(outgoing.headersSent).toBe(true)
    expect(() => outgoing.writeHead(200)).toThrow('twice')
    expect(() => outgoing.setHeader('a', 'b')).toThrow('after they are sent')
  })

  it('is known by name before it is written', () => {
    const { outgoing } = reply()
    outgoing.prepare(
      toPreparedHeaders([
        ['X-A', 'prepared'],
        ['X-B', 'prepared'],
      ]),
    )
    outgoing.setHeader('X-B', 1).setHeader('X-C', ['c', 'd'])
    expect(outgoing.getHeaders()).toEqual({ 'x-a': 'prepared', 'x-b': '1', 'x-c': ['c', 'd'] })
  })

  it('does not frame the body as somebody else says', () => {
    const { outgoing, text } = reply()
    outgoing.writeHead(200, { 'Transfer-Encoding': 'gzip' }).end('a')
    expect(text().match(/transfer-encoding: .*/gi)).toEqual(['Transfer-Encoding: chunked'])
  })
})

describe('the body', () => {
  it('goes with the head in one piece', () => {
    for (const body of ['aé', Buffer.from('aé')]) {
      const { outgoing, sent } = reply()
      outgoing.writeHead(200, { 'Content-Length': 3 }).end(body)
      expect(sent).toHaveLength(1)
      expect(sent[0]?.endsWith(`\r\n\r\n${utf8('aé')}`)).toBe(true)
    }
  })

  it('is counted where no head was written', () => {
    const { outgoing, text } = reply()
    outgoing.statusCode = 404
    outgoing.end('aé')
    expect(text()).toContain('HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n')
  })

  it('goes in chunks where its length is not known', () => {
    const { outgoing, text, sent, finished } = reply()
    outgoing.writeHead(200, { a: 'b' })
    expect(sent).toEqual([])
    outgoing.write('aé')
    outgoing.write('\xe9', 'latin1')
    outgoing.write('')
    outgoing.write(Buffer.alloc(20_000, 'b'))
    outgoing.end('c')
    expect(text().split('\r\n\r\n').slice(1).join('\r\n\r\n')).toBe(
      `3\r\n${utf8('aé')}\r\n1\r\n\xe9\r\n4e20\r\n${'b'.repeat(20_000)}\r\n1\r\nc\r\n0\r\n\r\n`,
    )
    expect(finished).toEqual([true])
  })

  it('does not make a header of another alphabet into UTF-8', () => {
    const { outgoing, text } = reply()
    outgoing.writeHead(200, { 'X-A': '\xe9', 'Content-Length': 2 }).end('é')
    expect(text()).toContain('X-A: \xe9\r\n')
    expect(text().endsWith(`\r\n\r\n${utf8('é')}`)).toBe(true)
  })

  it.each([
    ['with a length', { 'Content-Length': 2 }, 'Content-Length: 2'],
    ['without a length', {}, 'Date: '],
  ])('is left out of a reply to HEAD %s', (_, headers, line) => {
    const { outgoing, text } = reply({ method: 'HEAD' })
    outgoing.writeHead(200, headers)
    outgoing.write('o')
    outgoing.end('k')
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/)
    expect(text()).toContain(line)
    expect(text()).not.toContain('chunked')
  })

  it('has no length in a reply of status 204 without a head', () => {
    const { outgoing, text } = reply()
    outgoing.statusCode = 204
    outgoing.end()
    expect(text()).toMatch(/^HTTP\/1\.1 204 No Content\r\nDate: [^\n]*\nConnection: keep-alive\r\n\r\n$/)
  })

  it.each([204, 304])('is left out of a reply of status %i', (status) => {
    const { outgoing, text } = reply()
    outgoing.writeHead(status)
    outgoing.write('x')
    outgoing.end('y')
    expect(text()).toMatch(/^HTTP\/1\.1 \d+ [\s\S]*\r\n\r\n$/)
    expect(text()).not.toContain('chunked')
  })
})

it('has the reason phrases that Node has', () => {
  expect(REASON_PHRASES).toEqual(STATUS_CODES)
})

describe('the end', () => {
  it('comes once: finish, then close', () => {
    const { outgoing, finished } = reply()
    const events: string[] = []
    for (const event of ['finish', 'close'] as const) outgoing.on(event, () => events.push(event))
    outgoing.end('a')
    outgoing.end('b')
    outgoing.write('c')
    expect([outgoing.writableEnded, outgoing.writableFinished, finished]).toEqual([true, false, [true]])
    outgoing.sent()
    expect([events, outgoing.writableFinished, outgoing.destroyed]).toEqual([['finish', 'close'], true, true])
  })

  it('may be a cut', () => {
    const { outgoing, sent, isDestroyed } = reply()
    outgoing.writeHead(200)
    outgoing.destroy()
    outgoing.write('a')
    outgoing.end('b')
    expect([sent, isDestroyed(), outgoing.destroyed]).toEqual([[], true, true])
  })
})
