import { createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createTestCa, eventually, listenOnFreePort, startUpstream, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createHttpUpstream, type HttpUpstreamOptions } from './client.ts'
import type { UpstreamReply, UpstreamRequest } from './upstream.ts'

const signal = new AbortController().signal
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

function get(origin: string, rest: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return { method: 'GET', url: new URL(origin), headers: [], ...rest }
}

async function readText({ body }: UpstreamReply): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** A raw socket server: calls back with the socket after the head of each request. */
async function startRaw(answer: (socket: Socket, count: number) => void) {
  const seen: string[] = []
  let count = 0
  const server = createServer((socket) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      seen.push(text)
      text = ''
      count += 1
      answer(socket, count)
    })
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { seen, sockets, origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: sockets.close }
}

function open(options: HttpUpstreamOptions = {}) {
  return createHttpUpstream(options)
}

describe('requests', () => {
  it('sends line, host, headers and body as given, without additions', async () => {
    await using raw = await startRaw((socket) => socket.write(OK))
    await using upstream = open()
    const url = new URL(`${raw.origin}/v1/chat?a=%20b`)
    const body = Buffer.from('{"ü":1}')
    const reply = await upstream.send({ method: 'POST', url, headers: [['x-a', 'b']], body }, { signal })
    expect(await readText(reply)).toBe('ok')
    expect(raw.seen).toEqual([
      `POST /v1/chat?a=%20b HTTP/1.1\r\nhost: ${url.host}\r\nx-a: b\r\ncontent-length: 8\r\n\r\n${body.toString('latin1')}`,
    ])
  })

  it('sends a body of many megabytes, and none as length 0', async () => {
    await using server = await startUpstream()
    await using upstream = open()
    const body = Buffer.alloc(8_000_000, 'x')
    await readText(await upstream.send(get(server.origin, { method: 'POST', body }), { signal }))
    await readText(await upstream.send(get(server.origin, { method: 'POST' }), { signal }))
    expect(server.requests.map((request) => request.body.length)).toEqual([8_000_000, 0])
    expect(server.requests[1]?.header('content-length')).toEqual(['0'])
  })

  it.each([
    ['a name with a line end', ['a\r\nb', 'c']],
    ['a value with a line end', ['a', 'b\r\nc: d']],
    ['a value past Latin-1', ['a', '\u20ac']],
    ['a length of its own', ['Content-Length', '5']],
    ['a coding of its own', ['transfer-encoding', 'chunked']],
    ['a host of its own', ['host', 'elsewhere']],
  ] as const)('refuses %s', async (_, header) => {
    await using server = await startUpstream()
    await using upstream = open()
    const sent = upstream.send(get(server.origin, { headers: [[header[0], header[1]]] }), { signal })
    await expect(sent).rejects.toMatchObject({ code: 'invalid_header' })
    expect(server.connections).toBe(0)
  })
})

describe('replies', () => {
  it('returns a redirect as it is and follows none', async () => {
    await using target = await startUpstream()
    await using server = await startUpstream()
    server.replyWith({ status: 307, headers: { location: target.origin } })
    await using upstream = open()
    expect(await upstream.send(get(server.origin), { signal })).toMatchObject({ status: 307 })
    expect(target.connections).toBe(0)
  })

  it('gives an early reply while the body is still being sent, and does not use the connection again', async () => {
    await using raw = await startRaw((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno')
    })
    await using upstream = open()
    const body = Buffer.alloc(20_000_000)
    const reply = await upstream.send(get(raw.origin, { method: 'POST', body }), { signal })
    expect([reply.status, await readText(reply)]).toEqual([413, 'no'])
    await eventually(() => expect(upstream.counts.open).toBe(0))
  })

  it.each([
    ['in the head', 'HTTP/1.1 200 OK\r\ncontent-le', 'connection_lost'],
    ['before the head', '', 'connection_lost'],
    ['in a body of known length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab', 'truncated'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab', 'truncated'],
    ['before the last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n', 'truncated'],
  ])('fails when the connection ends %s', async (_, bytes, reason) => {
    await using raw = await startRaw((socket) => socket.end(bytes))
    await using upstream = open()
    const sent = upstream.send(get(raw.origin), { signal }).then(readText)
    await expect(sent).rejects.toMatchObject({ kind: 'upstream_failed', details: { reason } })
  })

  it('fails on bytes that are no reply, and closes the connection', async () => {
    await using raw = await startRaw((socket) => socket.write('HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n'))
    await using upstream = open()
    await expect(upstream.send(get(raw.origin), { signal })).rejects.toMatchObject({
      details: { reason: 'invalid_reply' },
    })
    await eventually(() => expect(upstream.counts.open).toBe(0))
  })
})

describe('kept connections', () => {
  it('carry one request after the other', async () => {
    await using server = await startUpstream()
    await using upstream = open()
    for (let index = 0; index < 5; index += 1) await readText(await upstream.send(get(server.origin), { signal }))
    expect(server.connections).toBe(1)
    expect(upstream.counts).toEqual({ open: 1, waiting: 0, running: 0 })
  })

  it.each([
    ['that says so', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['with bytes left over', `${OK}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`],
    ['of the old protocol', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['that promises no time', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok'],
  ])('are not those of a reply %s', async (_, bytes) => {
    await using raw = await startRaw((socket) => socket.write(bytes))
    await using upstream = open()
    expect(await readText(await upstream.send(get(raw.origin), { signal }))).toBe('ok')
    await eventually(() => expect(upstream.counts.open).toBe(0))
    expect(await readText(await upstream.send(get(raw.origin), { signal }))).toBe('ok')
    expect(raw.sockets.accepted).toBe(2)
  })

  it('are closed when bytes arrive without a request', async () => {
    await using raw = await startRaw((socket) => socket.write(OK))
    await using upstream = open()
    await readText(await upstream.send(get(raw.origin), { signal }))
    for (const socket of raw.sockets.open) socket.write(OK)
    await eventually(() => expect(upstream.counts.open).toBe(0))
  })

  it('are closed after their time', async () => {
    await using server = await startUpstream()
    await using upstream = open({ keepMs: 1 })
    await readText(await upstream.send(get(server.origin), { signal }))
    await eventually(() => expect(upstream.counts.open).toBe(0))
  })

  it('that turn out to be closed cost nothing: the request is sent once more on a new one', async () => {
    await using raw = await startRaw((socket, count) => {
      if (count === 2) socket.destroy()
      else socket.write(OK)
    })
    await using upstream = open()
    await readText(await upstream.send(get(raw.origin), { signal }))
    const body = Buffer.from('{}')
    expect(await readText(await upstream.send(get(raw.origin, { method: 'POST', body }), { signal }))).toBe('ok')
    expect(raw.seen).toHaveLength(3)
    expect(raw.seen[2]).toBe(raw.seen[1])
  })

  it('are given up for good when the new one is closed too', async () => {
    await using raw = await startRaw((socket, count) => (count === 1 ? socket.write(OK) : socket.destroy()))
    await using upstream = open()
    await readText(await upstream.send(get(raw.origin), { signal }))
    await expect(upstream.send(get(raw.origin), { signal })).rejects.toMatchObject({ kind: 'upstream_failed' })
    expect(raw.seen).toHaveLength(3)
  })

  it('are not tried again once a byte of the reply has come', async () => {
    await using raw = await startRaw((socket, count) => (count === 1 ? socket.write(OK) : socket.end('H')))
    await using upstream = open()
    await readText(await upstream.send(get(raw.origin), { signal }))
    await expect(upstream.send(get(raw.origin), { signal })).rejects.toMatchObject({ kind: 'upstream_failed' })
    expect(raw.seen).toHaveLength(2)
  })
})

describe('bounds', () => {
  it('hold for connections to one origin; the others wait in line', async () => {
    const waiting: Socket[] = []
    await using raw = await startRaw((socket) => waiting.push(socket))
    await using upstream = open({ maxPerOrigin: 2 })
    const replies = Array.from({ length: 6 }, () => upstream.send(get(raw.origin), { signal }).then(readText))
    await eventually(() => expect(waiting).toHaveLength(2))
    expect(upstream.counts).toEqual({ open: 2, waiting: 4, running: 6 })
    for (let answered = 0; answered < 6; answered += 1) {
      await eventually(() => expect(waiting.length).toBeGreaterThan(0))
      waiting.shift()?.write(OK)
    }
    expect(await Promise.all(replies)).toEqual(Array.from({ length: 6 }, () => 'ok'))
    expect(raw.sockets.accepted).toBe(2)
  })

  it('limit all origins together: an unused connection gives up its place', async () => {
    await using one = await startUpstream()
    await using other = await startUpstream()
    await using upstream = open({ maxConnections: 1 })
    for (const { origin } of [one, other, one]) {
      await readText(await upstream.send(get(origin), { signal }))
      expect(upstream.counts.open).toBe(1)
    }
    expect([one.connections, other.connections]).toEqual([2, 1])
  })

  it('hold for requests that wait', async () => {
    await using raw = await startRaw(() => {})
    await using upstream = open({ maxPerOrigin: 1, maxWaiting: 1 })
    const first = upstream.send(get(raw.origin), { signal })
    await eventually(() => expect(raw.seen).toHaveLength(1))
    const second = upstream.send(get(raw.origin), { signal })
    await expect(upstream.send(get(raw.origin), { signal })).rejects.toMatchObject({ code: 'upstream_busy' })
    await upstream.close()
    await Promise.all([first, second].map((sent) => expect(sent).rejects.toMatchObject({ kind: 'cancelled' })))
    expect(upstream.counts.running).toBe(0)
  })

  it('hold for time: to the head, between two pieces, to the end', async () => {
    await using raw = await startRaw((socket, count) => {
      if (count > 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab')
    })
    await using upstream = open({ headMs: 50, idleMs: 50 })
    const late = (reason: string) => ({ kind: 'timeout', details: { upstream: true, reason } })
    await expect(upstream.send(get(raw.origin), { signal })).rejects.toMatchObject(late('head'))
    const silent = await upstream.send(get(raw.origin), { signal })
    await expect(readText(silent)).rejects.toMatchObject(late('idle'))
    const slow = upstream.send(get(raw.origin, { timeoutMs: 60 }), { signal }).then(readText)
    await expect(slow).rejects.toMatchObject(late('total'))
    await eventually(() => expect(upstream.counts.open).toBe(0))
  })

  it('hold for making a connection', async () => {
    await using upstream = open({ connectMs: 50, lookup: () => {} })
    const sent = upstream.send(get('http://never.example'), { signal })
    await expect(sent).rejects.toMatchObject({ kind: 'timeout', details: { reason: 'connect' } })
  })

  it('limit the bytes read ahead of a slow reader', async () => {
    let written = 0
    const piece = Buffer.alloc(64 * 1024)
    await using raw = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 200000000\r\n\r\n')
      const more = (): void => {
        while (written < 200_000_000) {
          written += piece.length
          if (!socket.write(piece)) break
        }
      }
      socket.on('drain', more)
      more()
    })
    await using upstream = open()
    const reply = await upstream.send(get(raw.origin), { signal })
    let before = -1
    while (written > before) {
      before = written
      for (let turn = 0; turn < 50; turn += 1) await setImmediate()
    }
    // Buffers of the kernel on both sides, and a small buffer of the client.
    expect(written).toBeLessThan(20_000_000)
    let bytes = 0
    for await (const { length } of reply.body) {
      bytes += length
      if (bytes > 30_000_000) break
    }
    await eventually(() => expect(upstream.counts.open).toBe(0))
  })
})

describe('leaving', () => {
  it('ends the request at once, wherever it stands', async () => {
    await using raw = await startRaw((socket, count) => {
      if (count > 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab')
    })
    await using upstream = open()
    const leave = new AbortController()
    const unanswered = upstream.send(get(raw.origin), { signal: leave.signal })
    await eventually(() => expect(raw.seen).toHaveLength(1))
    leave.abort()
    await expect(unanswered).rejects.toMatchObject({ kind: 'cancelled' })
    await eventually(() => expect(raw.sockets.open.size).toBe(0))

    const later = new AbortController()
    const reply = await upstream.send(get(raw.origin), { signal: later.signal })
    later.abort()
    await expect(readText(reply)).rejects.toMatchObject({ kind: 'cancelled' })
    await eventually(() => expect(raw.sockets.open.size).toBe(0))

    await expect(upstream.send(get(raw.origin), { signal: later.signal })).rejects.toMatchObject({ kind: 'cancelled' })
    expect(raw.seen).toHaveLength(2)
  })

  it('by not reading on ends the request', async () => {
    await using raw = await startRaw((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'))
    await using upstream = open()
    const { body } = await upstream.send(get(raw.origin), { signal })
    for await (const _ of body) break
    await eventually(() => expect(raw.sockets.open.size).toBe(0))
  })
})

describe('where connections lead', () => {
  it('trusts the authority it is given, and checks the name', async () => {
    const ca = createTestCa()
    await using good = await startUpstream({ protocol: 'https', ca, hosts: ['localhost'] })
    await using other = await startUpstream({ protocol: 'https', ca, hosts: ['other.example'] })
    await using upstream = open({ ca: ca.cert })
    for (let index = 0; index < 2; index += 1) {
      expect(await readText(await upstream.send(get(good.origin), { signal }))).toBe('{}')
    }
    expect(good.connections).toBe(1)
    const named = upstream.send(get(`https://localhost:${other.port}`), { signal })
    await expect(named).rejects.toMatchObject({ kind: 'upstream_failed', details: { reason: 'tls' } })
    await using strict = open()
    const headers = [['authorization', 'Bearer secret']] as const
    const untrusted = strict.send(get(good.origin, { headers }), { signal })
    await expect(untrusted).rejects.toMatchObject({ details: { reason: 'tls' } })
    expect([good.requests.length, other.requests.length]).toEqual([2, 0])
  })

  it('reaches addresses of IPv6', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end(OK)))
    const isThere = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true))
    })
    if (!isThere) return
    const bound = server.address()
    const port = typeof bound === 'object' ? bound?.port : 0
    await using upstream = open()
    expect(await readText(await upstream.send(get(`http://[::1]:${port}`), { signal }))).toBe('ok')
    server.close()
  })

  it('uses the given look-up, whose refusal ends the request', async () => {
    await using server = await startUpstream()
    const asked: string[] = []
    await using upstream = open({
      lookup: (name, options, callback) => {
        asked.push(name)
        if (name === 'denied.example') callback(new Error('not allowed'), [])
        else if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
        else callback(null, '127.0.0.1', 4)
      },
    })
    await readText(await upstream.send(get(`http://model.example:${server.port}`), { signal }))
    expect(server.requests[0]?.header('host')).toEqual([`model.example:${server.port}`])
    await expect(upstream.send(get('http://denied.example'), { signal })).rejects.toMatchObject({
      kind: 'upstream_failed',
    })
    expect(asked).toEqual(['model.example', 'denied.example'])
  })

  it('reports a port without a listener', async () => {
    const server = await startUpstream()
    await server.close()
    await using upstream = open()
    const sent = upstream.send(get(server.origin.replace('localhost', '127.0.0.1')), { signal })
    await expect(sent).rejects.toMatchObject({ details: { reason: 'connection_refused' } })
  })
})
