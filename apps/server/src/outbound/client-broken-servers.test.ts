import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { listenOnFreePort, startCutProxy, startUpstream, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openClient } from './__fixtures__/test-client.ts'

async function send(socket: Socket, bytes: Iterable<string>) {
  for (const piece of bytes) {
    if (socket.destroyed) return
    const isTaken = socket.write(piece, 'latin1')
    if (!isTaken) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
  }
  socket.end()
}

/** A server that answers the first bytes with fixed bytes, and then ends. */
async function startRaw(bytes: string | Iterable<string>) {
  const server = createServer((socket) => {
    socket.once('data', () => void send(socket, typeof bytes === 'string' ? [bytes] : bytes))
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: sockets.close }
}

/** Fetches and reads everything. */
async function fetchAll(url: string) {
  const { client, request } = openClient()
  await using reply = await client.fetch(url, { ...request, redirects: 3 })
  return String(await reply.bytes())
}

const failed = (reason: string) => ({ kind: 'upstream_failed', code: 'fetch_failed', details: { reason } })

function* repeated(piece: string): Generator<string> {
  for (;;) yield piece
}

describe('a server that is broken', () => {
  it.each([
    ['says nothing', 'connection_lost', ''],
    ['stops in its first line', 'connection_lost', 'HTTP/1.1 20'],
    ['stops in its headers', 'connection_lost', 'HTTP/1.1 200 OK\r\ncontent-type: te'],
    ['speaks another protocol', 'invalid_reply', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['is a mail server', 'invalid_reply', '220 mail.example ESMTP\r\n'],
    ['gives no status', 'invalid_reply', 'HTTP/1.1 OK\r\n\r\n'],
    ['has control characters in a header', 'invalid_reply', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['breaks a header off', 'invalid_reply', 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n'],
    ['says its length twice', 'invalid_reply', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['says a negative length', 'invalid_reply', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    [
      'says both a length and pieces',
      'invalid_reply',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['changes the protocol', 'invalid_reply', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['sends too many headers', 'invalid_reply', `HTTP/1.1 200 OK\r\n${'x: '.padEnd(1000, 'y')}\r\n`.repeat(70)],
    ['sends one endless header', 'invalid_reply', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`],
    ['stops before the length it gave', 'connection_lost', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['stops in a piece', 'connection_lost', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'],
    [
      'stops before the last piece',
      'connection_lost',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n',
    ],
    ['says nonsense for a size', 'invalid_reply', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n'],
    [
      'lies about a size',
      'invalid_reply',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabcd\r\n0\r\n\r\n',
    ],
    ['sends no gzip', 'invalid_encoding', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc'],
    [
      'stops in the middle of gzip',
      'invalid_encoding',
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n${gzipSync('hello hello').subarray(0, -10).toString('latin1')}`,
    ],
  ])('%s', async (_how, reason, bytes) => {
    await using server = await startRaw(bytes)
    await expect(fetchAll(server.url)).rejects.toMatchObject(failed(reason))
  })

  it.each([
    ['interim replies', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['early hints', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'],
  ])('sends %s without end', async (_what, piece) => {
    await using server = await startRaw(repeated(piece))
    await expect(fetchAll(server.url)).rejects.toMatchObject(failed('invalid_reply'))
  })

  it('sends headers without end', async () => {
    const flood = (function* () {
      yield 'HTTP/1.1 200 OK\r\n'
      yield* repeated('a: b\r\n'.repeat(100))
    })()
    await using server = await startRaw(flood)
    await expect(fetchAll(server.url)).rejects.toMatchObject(failed('invalid_reply'))
  })

  it('sends trailers without end', async () => {
    const flood = (function* () {
      yield 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n'
      yield* repeated('a: b\r\n'.repeat(100))
    })()
    await using server = await startRaw(flood)
    await expect(fetchAll(server.url)).rejects.toMatchObject(failed('invalid_reply'))
  })
})

describe('a server that is only odd', () => {
  it.each([
    ['sends a few interim replies', `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3)}HTTP/1.1 200 OK\r\n\r\nabc`, 'abc'],
    ['gives no length', 'HTTP/1.1 200 OK\r\n\r\nabc', 'abc'],
    ['sends more than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\nevil', 'abc'],
    ['speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nabc', 'abc'],
    [
      'sends 60 KB of headers',
      `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(95)}\r\n`.repeat(600)}content-length: 3\r\n\r\nabc`,
      'abc',
    ],
    ['sends no content in gzip', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n', ''],
  ])('%s', async (_how, bytes, content) => {
    await using server = await startRaw(bytes)
    expect(await fetchAll(server.url)).toBe(content)
  })
})

describe('a connection that is cut', () => {
  it.each(['fin', 'rst'] as const)('at any byte of a reply is a failure, never a short reply (%s)', async (how) => {
    await using upstream = await startUpstream()
    await using proxy = await startCutProxy({ target: upstream })
    const body = gzipSync('the whole content')
    upstream.replyWith({ headers: { 'content-encoding': 'gzip', 'content-length': String(body.length) }, body })
    const url = `http://127.0.0.1:${proxy.port}/`
    expect(await fetchAll(url)).toBe('the whole content')
    let afterBytes = 0
    for (; ; afterBytes += 7) {
      proxy.setCut({ direction: 'response', afterBytes, how })
      const outcome = await fetchAll(url).catch((error: unknown) => error)
      if (outcome === 'the whole content') break
      expect(outcome, `after ${afterBytes} bytes`).toMatchObject({ kind: 'upstream_failed', code: 'fetch_failed' })
    }
    expect(afterBytes).toBeGreaterThan(100)
  })
})
