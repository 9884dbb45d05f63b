import { createServer, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { createDeferred, listenOnFreePort } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findServerName, MAX_HELLO_BYTES } from './client-hello.ts'

/** The first bytes that Node's TLS sends. */
async function recordHello(servername: string): Promise<Buffer> {
  const first = createDeferred<Buffer>()
  const server = createServer((socket: Socket) => socket.once('data', (bytes) => first.resolve(bytes)))
  const port = await listenOnFreePort(server)
  const client = connect({ port, host: '127.0.0.1', servername, ALPNProtocols: ['h2', 'http/1.1'] })
  client.on('error', () => {})
  const hello = await first.promise
  client.destroy()
  server.close()
  return hello
}

/** Wraps the content of a record into records of a size. */
function split(hello: Buffer, size: number): Buffer {
  const content = hello.subarray(5)
  const records: Buffer[] = []
  for (let start = 0; start < content.length; start += size) {
    const part = content.subarray(start, start + size)
    records.push(Buffer.of(22, 3, 1, part.length >> 8, part.length & 0xff), part)
  }
  return Buffer.concat(records)
}

it('finds the name in a ClientHello, however it is cut into records', async () => {
  const hello = await recordHello('api.listed.example')
  const found = { state: 'found', serverName: 'api.listed.example' }
  expect(findServerName(hello)).toEqual(found)
  for (const size of [1, 7, 100]) expect(findServerName(split(hello, size))).toEqual(found)
})

it('waits for the rest of a ClientHello at every cut', async () => {
  const hello = await recordHello('api.listed.example')
  for (let length = 0; length < hello.length; length += 1) {
    expect(findServerName(hello.subarray(0, length))).toEqual({ state: 'more' })
  }
})

it('finds none without one, and in other bytes', async () => {
  expect(findServerName(await recordHello(''))).toEqual({ state: 'none' })
  expect(findServerName(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toEqual({ state: 'none' })
  expect(findServerName(Buffer.alloc(MAX_HELLO_BYTES, Buffer.of(22, 3, 1, 0, 0)))).toEqual({ state: 'none' })
})

it('never fails, whatever the bytes', async () => {
  const hello = await recordHello('api.listed.example')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(hello.length - 1), fc.nat(255)), { maxLength: 8 }), (edits) => {
      const bytes = Buffer.from(hello)
      for (const [at, value] of edits) bytes[at] = value
      expect(['more', 'none', 'found']).toContain(findServerName(bytes).state)
    }),
    { numRuns: 2000 },
  )
})

const NONE = { state: 'none' }
const MORE = { state: 'more' }
const found = (serverName: string) => ({ state: 'found', serverName })

/** Bytes with their length before them. */
function vector(lengthSize: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = Buffer.alloc(lengthSize)
  length.writeUIntBE(content.length, 0, lengthSize)
  return Buffer.concat([length, content])
}

const extension = (type: number, ...content: readonly Buffer[]) =>
  Buffer.concat([Buffer.of(type >> 8, type & 0xff), vector(2, ...content)])
const name = (text: string, kind = 0) => Buffer.concat([Buffer.of(kind), vector(2, Buffer.from(text))])
const names = (...list: readonly Buffer[]) => extension(0, vector(2, ...list))

/** Version and random bytes, session, cipher suites and compression of a ClientHello. */
const START = Buffer.concat([
  Buffer.alloc(34, 3),
  vector(1, Buffer.alloc(32, 7)),
  vector(2, Buffer.of(0x13, 1, 0x13, 2)),
  vector(1, Buffer.of(0)),
])
const message = (...content: readonly Buffer[]) => Buffer.concat([Buffer.of(1), vector(3, ...content)])
const withExtensions = (...extensions: readonly Buffer[]) => message(START, vector(2, ...extensions))
const record = (...content: readonly Buffer[]) => Buffer.concat([Buffer.of(22, 3, 1), vector(2, ...content)])

describe('a ClientHello', () => {
  it.each<[string, Buffer, object]>([
    ['with a name alone', withExtensions(names(name('a.example'))), found('a.example')],
    ['with a name of one letter', withExtensions(names(name('a'))), found('a')],
    [
      'with a name behind other extensions',
      withExtensions(extension(16, Buffer.of(0, 3, 2, 104, 50)), extension(23), names(name('a.example'))),
      found('a.example'),
    ],
    [
      'with a name before other extensions',
      withExtensions(names(name('a.example')), extension(0x100, Buffer.of(1))),
      found('a.example'),
    ],
    ['with a name behind one of another kind', withExtensions(names(name('x', 1), name('a'))), found('a')],
    ['with two names', withExtensions(names(name('first'), name('second'))), found('first')],
    ['with names of other kinds', withExtensions(names(name('x', 1), name('y', 2))), NONE],
    ['with an empty list of names', withExtensions(names()), NONE],
    ['without the extension', withExtensions(extension(16, Buffer.of(0, 3, 2, 104, 50))), NONE],
    ['with the number of the extension in its high byte', withExtensions(extension(0x100, Buffer.of(0))), NONE],
    ['with an empty list of extensions', withExtensions(), NONE],
    ['without extensions', message(START), NONE],
    ['of another kind of message', Buffer.concat([Buffer.of(2), withExtensions(names(name('a'))).subarray(1)]), NONE],
    ['with bytes behind it', Buffer.concat([withExtensions(names(name('a'))), Buffer.alloc(9, 1)]), found('a')],
  ])('%s', (_name, bytes, expected) => {
    expect(findServerName(record(bytes))).toEqual(expected)
    expect(findServerName(split(record(bytes), 3))).toEqual(expected)
  })

  it('whose parts are shorter than they say has none', () => {
    const content = withExtensions(names(name('a.example'))).subarray(4)
    for (let length = 0; length < content.length; length += 1) {
      expect(findServerName(record(message(content.subarray(0, length))))).toEqual(NONE)
    }
    expect(findServerName(record(message(content)))).toEqual(found('a.example'))
  })

  it('that says to be larger than what is looked into has none', () => {
    const begin = (size: number) => record(Buffer.of(1, size >> 16, (size >> 8) & 0xff, size & 0xff))
    expect(findServerName(begin(MAX_HELLO_BYTES - 4))).toEqual(MORE)
    expect(findServerName(begin(MAX_HELLO_BYTES - 3))).toEqual(NONE)
  })

  it('that does not come to an end within what is looked into has none', () => {
    const begun = record(withExtensions(names(name('a'))).subarray(0, -1))
    const half = record(Buffer.of(1, 0, 0))
    for (const first of [begun, half]) {
      const padded = (length: number) => Buffer.concat([first, Buffer.alloc(length, record())]).subarray(0, length)
      expect(findServerName(padded(MAX_HELLO_BYTES - 1))).toEqual(MORE)
      expect(findServerName(padded(MAX_HELLO_BYTES))).toEqual(NONE)
    }
    expect(MAX_HELLO_BYTES).toBe(16_389)
  })

  it('ends with a record of another kind', () => {
    const bytes = withExtensions(names(name('a')))
    const alert = Buffer.of(21, 3, 1, 0, 2, 1, 0)
    expect(findServerName(Buffer.concat([record(bytes), alert]))).toEqual(found('a'))
    expect(findServerName(Buffer.concat([record(bytes.subarray(0, 9)), alert, record(bytes.subarray(9))]))).toEqual(
      MORE,
    )
    expect(findServerName(Buffer.concat([alert, record(bytes)]))).toEqual(NONE)
  })
})
