import { createServer, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { createDeferred, listenOnFreePort } from '@svc/test-kit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
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
