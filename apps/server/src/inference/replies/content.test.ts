import { once } from 'node:events'
import { connect } from 'node:net'
import { SvcError } from '@svc/errors'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/support/test-app.ts'
import { ALREADY_SENT } from '../../http/http-reply.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import { defineRoute } from '../../http/route.ts'
import { type Content, writeContent } from './content.ts'

const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256))
const compression = { enabled: true, minLength: 10 }

/** Serves content at `GET` and `POST /content`. */
function serve(content: Partial<Content> & Pick<Content, 'read'>) {
  return startTestApp(
    // The server answers HEAD with the routes of GET.
    (['GET', 'POST'] as const).map((method) =>
      defineRoute({
        method,
        path: '/content',
        access: 'any',
        family: 'compatible',
        tag: 'test',
        summary: 'test',
        async handler(call) {
          const writer = createReplyWriter(call, { compression })
          await writeContent(
            writer,
            { mediaType: 'audio/wav', ...content },
            { request: call, headers: { 'x-model': 'm' } },
          )
          return ALREADY_SENT
        },
      }),
    ),
  )
}

async function* inPieces(bytes: Uint8Array, size = 300): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const readFileLike: Content['read'] = ({ start, end } = { start: 0, end: BYTES.length }) =>
  inPieces(BYTES.subarray(start, end))

describe('writeContent', () => {
  it.each([
    ['a known length', BYTES.length, 'content-length', '1000'],
    ['an unknown length', undefined, 'transfer-encoding', 'chunked'],
  ])('sends bytes of %s as they are', async (_name, length, header, value) => {
    await using app = await serve({ length, read: () => inPieces(BYTES), headers: { 'x-voice': 'slt' } })
    const reply = await app.call('/content', { headers: { 'accept-encoding': 'gzip', range: 'bytes=0-1' } })
    expect([reply.status, reply.body.equals(BYTES), reply.headers[header]]).toEqual([200, true, value])
    expect(reply.headers).toMatchObject({ 'content-type': 'audio/wav', 'x-voice': 'slt', 'x-model': 'm' })
    expect(Object.keys(reply.headers)).not.toEqual(expect.arrayContaining(['accept-ranges']))
  })

  it.each([
    ['', 200, 1000, undefined],
    ['bytes=10-19', 206, 10, 'bytes 10-19/1000'],
    ['bytes=-7', 206, 7, 'bytes 993-999/1000'],
    ['bytes=500-', 206, 500, 'bytes 500-999/1000'],
    ['bytes=0-1,4-5', 200, 1000, undefined],
  ])('answers the range "%s" of a file with %i', async (range, status, length, contentRange) => {
    await using app = await serve({ length: BYTES.length, hasRanges: true, read: readFileLike })
    const reply = await app.call('/content', { headers: range === '' ? {} : { range } })
    expect([reply.status, reply.body.length, reply.headers['content-range']]).toEqual([status, length, contentRange])
    expect(reply.headers['accept-ranges']).toBe('bytes')
    if (status === 206) {
      const start = Number(contentRange?.slice(6, contentRange.indexOf('-')))
      expect(reply.body.equals(BYTES.subarray(start, start + length))).toBe(true)
    }
  })

  it.each(['bytes=1000-', 'bytes=1001-2000', 'bytes=-0'])(
    'refuses the range "%s" in the form of its errors',
    async (range) => {
      await using app = await serve({ length: BYTES.length, hasRanges: true, read: readFileLike })
      const reply = await app.call('/content', { headers: { range } })
      expect([reply.status, reply.headers['content-range'], reply.json()]).toEqual([
        416,
        'bytes */1000',
        { error: expect.objectContaining({ code: 416, message: expect.stringContaining('1000 bytes') }) },
      ])
    },
  )

  it.each<[string, 'GET' | 'HEAD' | 'POST', Record<string, string>, Partial<Content>, string]>([
    ['its last byte', 'GET', {}, {}, 'read, released'],
    ['the last byte of a range', 'GET', { range: 'bytes=0-9' }, {}, 'read, released'],
    ['a range outside', 'GET', { range: 'bytes=1000-' }, {}, 'released'],
    ['HEAD', 'HEAD', {}, {}, 'released'],
    ['HEAD with a range', 'HEAD', { range: 'bytes=0-9' }, {}, 'released'],
    ['a wrong length', 'GET', {}, { length: 1001 }, 'read, released'],
    ['POST', 'POST', {}, {}, 'read, released'],
  ])('is released after %s', async (_name, method, headers, fields, expected) => {
    const seen: string[] = []
    await using app = await serve({
      length: BYTES.length,
      hasRanges: true,
      ...fields,
      read(range) {
        seen.push('read')
        return readFileLike(range)
      },
      release: () => void seen.push('released'),
    })
    const reply = await app.call('/content', { method, headers }).catch(() => undefined)
    if (method === 'HEAD') expect([reply?.body.length, reply?.headers['content-type']]).toEqual([0, 'audio/wav'])
    await eventually(() => expect(seen.join(', ')).toBe(expected))
  })

  it('is released, and not read, for a client that has left', async () => {
    const seen: string[] = []
    const left = new AbortController()
    left.abort(new SvcError('cancelled', 'the client closed the connection'))
    const request = { route: { method: 'GET' }, header: () => undefined, abort: left.signal }
    const content: Content = {
      mediaType: 'audio/wav',
      read: () => expect.unreachable(),
      release: () => void seen.push('released'),
    }
    await expect(writeContent({} as never, content, { request })).rejects.toMatchObject({ kind: 'cancelled' })
    expect(seen).toEqual(['released'])
  })

  it('ignores ranges of a POST', async () => {
    await using app = await serve({ length: BYTES.length, hasRanges: true, read: readFileLike })
    expect((await app.call('/content', { method: 'POST', headers: { range: 'bytes=0-1' } })).status).toBe(200)
  })

  it('sends no bytes at all', async () => {
    await using app = await serve({ length: 0, read: () => inPieces(Buffer.alloc(0)) })
    const reply = await app.call('/content')
    expect([reply.status, reply.body.length]).toEqual([200, 0])
  })

  it('gives a failure before the first byte a status of its own', async () => {
    await using app = await serve({
      // biome-ignore lint/correctness/useYield: it fails before
      async *read() {
        throw new SvcError('unavailable', 'the voice is busy')
      },
    })
    expect((await app.call('/content')).status).toBe(503)
  })

  it.each<[string, number | undefined, Content['read']]>([
    [
      'a failure after the first byte',
      undefined,
      async function* () {
        yield BYTES
        throw new SvcError('upstream_failed', 'gone')
      },
    ],
    ['fewer bytes than announced', 1001, () => inPieces(BYTES)],
    ['more bytes than announced', 999, () => inPieces(BYTES)],
  ])('cuts the connection at %s', async (_name, length, read) => {
    await using app = await serve({ length, read })
    await expect(app.call('/content')).rejects.toThrow()
  })

  it.each(['while it reads', 'while it waits for the source'])(
    'ends the source of a client that leaves %s',
    async (when) => {
      let ended = 0
      let pieces = 0
      await using app = await serve({
        read: () => ({
          [Symbol.asyncIterator]: () => ({
            async next() {
              pieces += 1
              if (pieces > 1 && when !== 'while it reads') await new Promise<never>(() => undefined)
              return { done: false, value: Buffer.alloc(65_536) }
            },
            async return() {
              ended += 1
              return { done: true, value: undefined }
            },
          }),
        }),
      })
      const { hostname, port } = new URL(app.url)
      const socket = connect({ port: Number(port), host: hostname })
      socket.write('GET /content HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
      await once(socket, 'data')
      socket.pause()
      if (when === 'while it reads') {
        // The producer is paused once the buffers of the sockets are full.
        let before = -1
        while (before !== pieces) {
          before = pieces
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      socket.destroy()
      await eventually(() => expect(ended).toBe(1))
    },
  )
})
