import { createServer, request as httpRequest, type ServerResponse } from 'node:http'
import { toPreparedHeaders } from '@svc/http-reader'
import { listenOnFreePort } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { PreparedResponse, prepareHeaders } from './prepared-response.ts'

const prepared = toPreparedHeaders([
  ['X-One', '1'],
  ['X-Two', 'zwei'],
])

/** The raw headers and body of a reply. */
async function readReply(answer: (outgoing: ServerResponse) => void, { isPlain = false, method = 'GET' } = {}) {
  const options = isPlain ? {} : { ServerResponse: PreparedResponse }
  const server = createServer(options, (_incoming, outgoing) => {
    prepareHeaders(outgoing, prepared)
    answer(outgoing)
  })
  const port = await listenOnFreePort(server)
  try {
    return await new Promise<{ status: number | undefined; headers: Record<string, string[]>; body: string }>(
      (resolve, reject) => {
        const sent = httpRequest({ port, host: '127.0.0.1', method }, (reply) => {
          const pieces: Buffer[] = []
          reply.on('data', (piece: Buffer) => pieces.push(piece))
          reply.on('end', () => {
            const headers: Record<string, string[]> = {}
            for (let at = 0; at < reply.rawHeaders.length; at += 2) {
              const name = (reply.rawHeaders[at] ?? '').toLowerCase()
              headers[name] = [...(headers[name] ?? []), reply.rawHeaders[at + 1] ?? '']
            }
            resolve({ status: reply.statusCode, headers, body: Buffer.concat(pieces).toString() })
          })
        })
        sent.on('error', reject)
        sent.end()
      },
    )
  } finally {
    server.close()
  }
}

describe.each([
  ['a prepared response', false],
  ['a plain one', true],
])('%s', (_, isPlain) => {
  it.each<[string, (outgoing: ServerResponse) => void]>([
    ['a flat list', (outgoing) => outgoing.writeHead(201, ['Content-Length', '2', 'X-Own', 'o']).end('ok')],
    ['an object', (outgoing) => outgoing.writeHead(201, { 'Content-Length': 2, 'X-Own': 'o' }).end('ok')],
    ['an object after a reason', (outgoing) => outgoing.writeHead(201, 'Made', { 'X-Own': 'o' }).end('ok')],
    [
      'headers that were set',
      (outgoing) => {
        outgoing.setHeader('X-Own', 'o')
        outgoing.statusCode = 201
        outgoing.end('ok')
      },
    ],
    [
      'a chunked body',
      (outgoing) => {
        outgoing.writeHead(201, ['X-Own', 'o'])
        outgoing.write('o')
        outgoing.end('k')
      },
    ],
  ])('has them beside %s', async (_name, answer) => {
    const { status, headers, body } = await readReply(answer, { isPlain })
    expect([status, body, headers['x-own'], headers['x-one'], headers['x-two']]).toEqual([
      201,
      'ok',
      ['o'],
      ['1'],
      ['zwei'],
    ])
  })

  it.each<[string, (outgoing: ServerResponse) => void]>([
    ['set', (outgoing) => outgoing.setHeader('x-two', 'own').writeHead(200, ['a', 'b']).end()],
    ['in a flat list', (outgoing) => outgoing.writeHead(200, ['x-two', 'own']).end()],
    ['in an object', (outgoing) => outgoing.writeHead(200, { 'x-TWO': 'own' }).end()],
  ])('has one that is %s instead of the one of its name', async (_name, answer) => {
    const { headers } = await readReply(answer, { isPlain })
    expect([headers['x-one'], headers['x-two']]).toEqual([['1'], ['own']])
  })

  it('has them where there is no body', async () => {
    const { headers } = await readReply((outgoing) => outgoing.writeHead(304).end(), { isPlain })
    expect(headers['x-one']).toEqual(['1'])
    expect((await readReply((outgoing) => outgoing.end('x'), { isPlain, method: 'HEAD' })).headers['x-two']).toEqual([
      'zwei',
    ])
  })
})

it.each([
  ['X\r\nY', 'a'],
  ['X', 'a\r\nY: b'],
])('refuses what no header can hold: %j %j', (name, value) => {
  expect(() => toPreparedHeaders([[name, value]])).toThrow(TypeError)
})
