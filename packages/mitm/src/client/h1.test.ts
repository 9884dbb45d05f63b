import { type Duplex, duplexPair } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { createDeferred, eventually } from '@svc/test-kit'
import { expect, it, onTestFinished } from 'vitest'
import { resolveLimits } from '../limits/limits.ts'
import { createHttp1Reader } from './h1.ts'
import type { ClientRequest } from './request.ts'

/** The answer to raw bytes, up to the end of the connection. */
function answer(bytes: string, serve: (request: ClientRequest) => void): Promise<string> {
  const reader = createHttp1Reader(resolveLimits())
  onTestFinished(() => reader.close())
  const [client, side]: Duplex[] = duplexPair()
  // The reader uses only members of a TLS socket that every duplex stream has.
  reader.read(side as TLSSocket, (request) => {
    const over = new Promise<void>((resolve) => request.reply.onceClosed(() => resolve()))
    serve(request)
    return over
  })
  return new Promise((resolve) => {
    let text = ''
    client?.on('data', (part) => {
      text += part
    })
    client?.once('end', () => resolve(text))
    client?.write(bytes)
  })
}

const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'

it.each([
  ['1.1', `HTTP/1.1 100 Continue\r\n\r\n${HINTS}`],
  ['1.0', ''],
])(
  'a client of HTTP/%s gets the informational replies that it knows, before the reply only',
  async (version, ahead) => {
    const text = await answer(`GET /x HTTP/${version}\r\nhost: a\r\nconnection: close\r\n\r\n`, ({ reply }) => {
      for (const status of [100, 101, 103]) reply.inform({ status, headers: ['link', 'x'] })
      expect(reply.isStarted).toBe(false)
      reply.start({ status: 200, statusText: 'Fine', headers: ['content-length', '2'] }, true)
      reply.inform({ status: 103, headers: [] })
      reply.stream.write('ok')
      reply.finish([])
      expect(reply.isStarted).toBe(true)
    })
    expect(text).toBe(`${ahead}HTTP/1.1 200 Fine\r\ncontent-length: 2\r\nConnection: close\r\n\r\nok`)
  },
)

it.each([
  [undefined, 200, 'OK'],
  ['', 404, 'Not Found'],
  ['Own', 200, 'Own'],
  [undefined, 299, ''],
])('the reason %s of status %i goes out as "%s"', async (statusText, status, reason) => {
  const text = await answer('GET /x HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', ({ reply }) => {
    reply.start({ status, statusText, headers: ['content-length', '0'] }, true)
    reply.finish([])
  })
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} ${reason}\r\n`))
})

it.each([
  ['GET /x HTTP/1.1\r\nhost: a\r\n', false],
  ['POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n', false],
  ['POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n', true],
  ['POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n', true],
])('%j has a body: %s', async (head, hasBody) => {
  const seen: unknown[] = []
  await answer(`${head}connection: close\r\n\r\n`, (request) => {
    const { protocol, method, target, authorities, expectsContinue, upgrade } = request
    seen.push([protocol, method, target, authorities, expectsContinue, upgrade], request.hasBody)
    request.reply.start({ status: 200, statusText: undefined, headers: ['content-length', '0'] }, true)
    request.reply.finish([])
  })
  expect(seen).toEqual([['http/1.1', head.split(' ')[0], '/x', ['a'], false, undefined], hasBody])
})

/** Sends two requests at once, and counts those that are served. */
async function countServed(serve: (request: ClientRequest, side: Duplex) => void): Promise<number> {
  const reader = createHttp1Reader(resolveLimits())
  onTestFinished(() => reader.close())
  const [client, side]: Duplex[] = duplexPair()
  if (client === undefined || side === undefined) throw new Error('a pair has two sides')
  let served = 0
  const second = createDeferred<void>()
  reader.read(side as TLSSocket, async (request) => {
    served += 1
    // Both have been read when the first one ends.
    await second.promise
    serve(request, side)
  })
  client.write('GET /1 HTTP/1.1\r\nhost: a\r\n\r\nGET /2 HTTP/1.1\r\nhost: a\r\n\r\n')
  await eventually(() => expect(served).toBe(1))
  for (let turns = 0; turns < 5; turns += 1) await turn()
  second.resolve()
  for (let turns = 0; turns < 5; turns += 1) await turn()
  client.destroy()
  return served
}

it.each<[number, string, (request: ClientRequest, side: Duplex) => void]>([
  [2, 'is answered', () => {}],
  [1, 'is the last one of its connection', ({ reply }) => reply.closeAfterwards()],
  [1, 'has lost its connection', (_request, side) => void side.destroy()],
])('serves %i of two requests where the first one %s', async (count, _, serve) => {
  expect(await countServed(serve)).toBe(count)
})

it('an upgraded connection that breaks while nobody reads it ends nothing else', async () => {
  const reader = createHttp1Reader(resolveLimits())
  onTestFinished(() => reader.close())
  const [client, side] = duplexPair()
  const upgraded = createDeferred<string | undefined>()
  const closed = createDeferred<void>()
  side.once('close', () => closed.resolve())
  reader.read(side as TLSSocket, async ({ upgrade }) => {
    upgraded.resolve(upgrade)
    await closed.promise
  })
  client.write('GET /x HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: Chat\r\n\r\n')
  expect(await upgraded.promise).toBe('chat')
  // An error that nobody listens for is thrown.
  expect(() => side.emit('error', new Error('broken'))).not.toThrow()
  side.destroy()
  await closed.promise
})
