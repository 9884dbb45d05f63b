import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type ClientHttp2Session, constants, createSecureServer as createHttp2Server } from 'node:http2'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { createDeferred, listenOnFreePort, readSse, trackSockets } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, askHttp1, askHttp2, http2Through, LISTED, OTHER, startWorld, tlsThrough, type World } from './world.ts'

const PAIRINGS = [
  ['http/1.1', 'https'],
  ['http/1.1', 'h2'],
  ['h2', 'https'],
  ['h2', 'h2'],
] as const

/** A server of HTTP/1.1 over TLS for replies that the recording upstream cannot give. */
async function startServer(
  world: World,
  protocol: 'https' | 'h2',
  serve: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const certificate = world.upstreamCa.issue([LISTED, OTHER])
  const server =
    protocol === 'h2'
      ? createHttp2Server(certificate, (request, response) => Reflect.apply(serve, undefined, [request, response]))
      : createSecureServer(certificate, serve)
  const sockets = trackSockets(server)
  server.on('secureConnection', (socket) => socket.on('error', () => {}))
  const port = await listenOnFreePort(server)
  return { world: { ...world, target: `${LISTED}:${port}` }, [Symbol.asyncDispose]: sockets.close }
}

describe.each(PAIRINGS)('a client of %s and a host of %s', (client, protocol) => {
  it.each([
    ['GET', 204],
    ['GET', 304],
    ['HEAD', 200],
    ['GET', 200],
    ['DELETE', 200],
    ['POST', 500],
    ['GET', 302],
  ])('%s with a reply of %s', async (method, status) => {
    await using world = await startWorld({ protocol })
    const headers = { location: 'https://elsewhere.example/', ...(method === 'HEAD' ? { 'content-length': '7' } : {}) }
    world.upstream.replyWith({ status, headers, body: method === 'GET' && status === 200 ? 'content' : '' })
    const reply = await ask(world, client, { method, path: '/v1/models' })
    expect([reply.status, reply.body.toString(), reply.headers.location]).toEqual([
      status,
      method === 'GET' && status === 200 ? 'content' : '',
      'https://elsewhere.example/',
    ])
    if (method === 'HEAD') expect(reply.headers['content-length']).toBe('7')
    expect(world.upstream.requests).toHaveLength(1)
    // The connection is still good.
    expect((await ask(world, client, { method, path: '/v1/models' })).status).toBe(status)
  })

  it('streams a reply event by event', async () => {
    await using world = await startWorld({ protocol })
    const gates = [createDeferred<void>(), createDeferred<void>()]
    world.upstream.replyWith({
      headers: { 'content-type': 'text/event-stream' },
      body: ['data: 1\n\n', gates[0]?.promise ?? '', 'data: 2\n\n', gates[1]?.promise ?? '', 'data: 3\n\n'].filter(
        Boolean,
      ) as string[],
    })
    const seen: string[] = []
    for await (const event of readSse(await openStream(world, client))) {
      seen.push(event.data)
      gates.shift()?.resolve()
    }
    expect(seen).toEqual(['1', '2', '3'])
  })

  it('sends the head of a reply before its body begins', async () => {
    await using world = await startWorld({ protocol })
    const never = createDeferred<void>()
    world.upstream.replyWith({ headers: { 'content-type': 'text/event-stream' }, body: ['x', never.promise] })
    const body = await openStream(world, client)
    expect(body).toBeDefined()
    never.resolve()
  })

  it('the end of the client reaches the host, in the middle of a stream', async () => {
    await using world = await startWorld({ protocol })
    const never = createDeferred<void>()
    world.upstream.replyWith({ body: ['begun', never.promise] })
    const stream = await openStream(world, client)
    for await (const bytes of stream) {
      expect(String(bytes)).toBe('begun')
      break
    }
    expect(await world.upstream.requests[0]?.outcome).toBe('aborted')
    expect(await world.event('traffic')).toMatchObject({ outcome: 'aborted', status: 200, bytesReceived: 5 })
    expect(world.proxy.counts.bufferedBytes).toBe(0)
  })

  it('the end of the client reaches the host before a reply begins', async () => {
    await using world = await startWorld({ protocol })
    world.upstream.replyWith(() => new Promise(() => {}))
    const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate, protocols: [client] })
    const reply =
      client === 'h2'
        ? askHttp2(
            (await import('node:http2'))
              .connect(`https://${world.target}`, { createConnection: () => tls })
              .on('error', () => {}),
            { path: '/x', body: '{}' },
          )
        : askHttp1(tls, world.target, { path: '/x', body: '{}' })
    reply.catch(() => {})
    const request = await world.upstream.request(0)
    tls.destroy()
    expect(await request.outcome).toBe('aborted')
  })

  it('a reply that the host cuts is cut for the client', async () => {
    await using world = await startWorld({ protocol })
    world.upstream.replyWith({ body: ['half'], end: 'cut' })
    await expect(ask(world, client, { path: '/v1/files', body: 'x' })).rejects.toThrow()
    expect(await world.event('traffic')).toMatchObject({ outcome: 'failed', code: 'upstream_failed' })
  })

  it('relays informational replies, and trailers both ways', async () => {
    await using world = await startWorld()
    await using server = await startServer(world, protocol, (request, response) => {
      request.on('data', () => {})
      request.on('end', () => {
        response.writeEarlyHints({ link: '</a>; rel=preload' })
        response.setHeader('trailer', 'x-check')
        response.write('body')
        response.addTrailers({ 'x-check': `got ${request.trailers['x-sum'] ?? 'none'}` })
        response.end()
      })
    })
    if (client === 'h2') {
      const session = await http2Through(server.world)
      const stream = session.request({ ':method': 'POST', ':path': '/x' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42' }))
      const informed: unknown[] = []
      let trailers: unknown
      stream.on('headers', (headers) => informed.push(headers[':status'], headers.link))
      stream.on('trailers', (headers) => {
        trailers = headers['x-check']
      })
      stream.end('x')
      for await (const bytes of stream) expect(String(bytes)).toBe('body')
      expect([informed, trailers]).toEqual([[103, '</a>; rel=preload'], 'got 42'])
      session.destroy()
      return
    }
    const tls = await tlsThrough(world.proxy, server.world.target, { ca: world.authority.certificate })
    const lines = [
      `POST /x HTTP/1.1`,
      `host: ${server.world.target}`,
      'transfer-encoding: chunked',
      'trailer: x-sum',
      'connection: close',
    ]
    tls.write(`${lines.join('\r\n')}\r\n\r\n1\r\nx\r\n0\r\nx-sum: 42\r\n\r\n`)
    let answer = ''
    for await (const bytes of tls) answer += bytes
    expect(answer).toMatch(/^HTTP\/1.1 103 Early Hints\r\nlink: <\/a>; rel=preload\r\n\r\nHTTP\/1.1 200 /i)
    expect(answer).toMatch(/\r\n0\r\nx-check: got 42\r\n\r\n$/)
  })

  it('relays the end of a body that the host does not want', async () => {
    await using world = await startWorld()
    await using server = await startServer(world, protocol, (_request, response) => {
      response.writeHead(413, { 'content-length': '5' })
      response.end('never')
    })
    const body = Buffer.alloc(300_000, 'x')
    const reply = await ask(server.world, client, { path: '/v1/files', body })
    expect([reply.status, reply.body.toString()]).toEqual([413, 'never'])
  })

  it('a client that waits for 100 gets it from the host', async () => {
    await using world = await startWorld()
    const order: string[] = []
    await using server = await startServer(world, protocol, (request, response) => {
      request.on('data', () => order.push('body'))
      request.on('end', () => response.end('done'))
    })
    const headers = { expect: '100-continue' }
    const reply = await ask(server.world, client, { path: '/v1/files', headers, body: 'x' })
    expect([reply.status, reply.body.toString()]).toEqual([200, 'done'])
  })

  it('bodies of other paths arrive byte for byte, both ways', async () => {
    await using world = await startWorld({ protocol })
    world.upstream.replyWith((request) => ({
      headers: { 'content-encoding': 'odd', 'x-a': request.header('x-a') },
      body: request.body,
    }))
    const session = client === 'h2' ? await http2Through(world) : undefined
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5000 }),
        fc.constantFrom('PUT', 'POST', 'PATCH'),
        async (bytes, method) => {
          const asked = {
            method,
            path: '/v1/embeddings',
            headers: { 'x-a': 'v', 'content-encoding': 'odd' },
            body: bytes,
          }
          const reply = session === undefined ? await ask(world, client, asked) : await askHttp2(session, asked)
          expect(reply.body.equals(bytes)).toBe(true)
          expect(Buffer.from(world.upstream.requests.at(-1)?.body ?? []).equals(bytes)).toBe(true)
          expect(reply.headers['content-encoding']).toBe('odd')
        },
      ),
      { numRuns: 30 },
    )
    session?.destroy()
  })
})

/** The body of a reply as it comes; leaving the iteration closes the connection. */
async function openStream(world: World, client: 'http/1.1' | 'h2'): Promise<AsyncIterable<Uint8Array>> {
  if (client === 'h2') {
    const session = await http2Through(world)
    const stream = session.request({ ':method': 'POST', ':path': '/v1/responses' })
    stream.end('{}')
    await once(stream, 'response')
    stream.once('close', () => session.destroy())
    return stream
  }
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  const outgoing = request({
    createConnection: () => tls,
    method: 'POST',
    path: '/v1/responses',
    headers: { host: world.target },
  })
  outgoing.on('error', () => {})
  outgoing.end('{}')
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  return reply
}

it.each(['https', 'h2'] as const)('an empty body that ends before a host of %s is connected', async (protocol) => {
  const bodyEnded = createDeferred<void>()
  let lookedUp = Promise.resolve()
  await using world = await startWorld({
    protocol,
    lookup: (_host, _options, callback) => {
      void lookedUp.then(() => callback(null, [{ address: '127.0.0.1', family: 4 }]))
    },
  })
  const session = await http2Through(world)
  // The connection to the host waits.
  lookedUp = bodyEnded.promise
  // The end of the body is a frame of its own.
  const stream = session.request({ ':method': 'POST', ':path': '/v1/embeddings' }, { endStream: false })
  const response = once(stream, 'response')
  stream.resume().end()
  await once(stream, 'finish')
  // The first answer shows that the frame has left, the second that the proxy has read it.
  await ping(session)
  await ping(session)
  bodyEnded.resolve()
  const [headers] = await response
  expect(headers[':status']).toBe(200)
  expect(world.upstream.requests[0]?.body).toHaveLength(0)
  session.destroy()
})

function ping(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session.ping((error) => (error === null ? resolve() : reject(error)))
  })
}

it('headers of HTTP/1.1 keep their order, case and repetitions', async () => {
  await using world = await startWorld()
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  const lines = [
    'GET /x HTTP/1.1',
    `Host: ${world.target}`,
    'X-B: 1',
    'x-a: 2',
    'X-B: 3',
    'Connection: X-Hop, close',
    'x-hop: gone',
    'Proxy-Connection: x',
    'Keep-Alive: 5',
  ]
  tls.write(`${lines.join('\r\n')}\r\n\r\n`)
  for await (const _ of tls);
  expect(world.upstream.requests[0]?.headers).toEqual([
    ['Host', world.target],
    ['X-B', '1'],
    ['x-a', '2'],
    ['X-B', '3'],
    ['Connection', 'keep-alive'],
  ])
})

it('cookies that come one by one are one header for a host of HTTP/1.1', async () => {
  await using world = await startWorld()
  const session = await http2Through(world)
  const stream = session.request({ ':path': '/x', cookie: ['a=1', 'b=2'] })
  stream.resume()
  await once(stream, 'close')
  expect(world.upstream.requests[0]?.header('cookie')).toEqual(['a=1; b=2'])
  session.destroy()
})

it('many requests go over one connection, at the same time over h2', async () => {
  await using world = await startWorld({ protocol: 'h2' })
  const session = await http2Through(world)
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) => askHttp2(session, { path: `/v1/x${index}`, body: '{}' })),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(world.upstream.connections).toBe(1)
  session.destroy()
})

it('many requests at a time share a bounded number of connections of HTTP/1.1', async () => {
  await using world = await startWorld({ protocol: 'https' })
  const session = await http2Through(world)
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) => askHttp2(session, { path: `/v1/x${index}`, body: '{}' })),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(world.upstream.connections).toBeLessThanOrEqual(32)
  session.destroy()
})

it('a host without a trusted certificate gets no request', async () => {
  await using world = await startWorld({ trustedAuthorities: (await startWorld()).upstreamCa.cert })
  for (const client of ['http/1.1', 'h2'] as const) {
    const reply = await ask(world, client, { path: '/v1/messages', body: '{}' })
    expect([reply.status, JSON.parse(reply.body.toString()).error.type]).toEqual([502, 'api_error'])
  }
  expect(world.upstream.requests).toEqual([])
})

it('a certificate for another host is not trusted', async () => {
  await using world = await startWorld({ listed: ['wrong.example'] })
  const tls = await tlsThrough(world.proxy, `wrong.example:${world.upstream.port}`, {
    ca: world.authority.certificate,
    servername: 'wrong.example',
  })
  const reply = await askHttp1(tls, `wrong.example:${world.upstream.port}`, { path: '/x', body: '{}' })
  expect(reply.status).toBe(502)
  expect(world.upstream.requests).toEqual([])
})

it('a host that is gone is a 502, and the next request connects again', async () => {
  await using world = await startWorld()
  const session = await http2Through(world)
  const { port } = world.upstream
  await world.upstream.close()
  expect((await askHttp2(session, { path: '/x', body: '{}' })).status).toBe(502)
  const certificate = world.upstreamCa.issue([LISTED])
  const server = createSecureServer(certificate, (_request, response) => void response.end('back'))
  const sockets = trackSockets(server)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  expect((await askHttp2(session, { path: '/x', body: '{}' })).body.toString()).toBe('back')
  session.destroy()
  await sockets.close()
})

it.each(['https', 'h2'] as const)('connections to a host of %s end with that of the client', async (protocol) => {
  await using world = await startWorld()
  const certificate = world.upstreamCa.issue([LISTED])
  const server =
    protocol === 'h2'
      ? createHttp2Server(certificate, (_request, response) => void response.end('ok'))
      : createSecureServer(certificate, (_request, response) => void response.end('ok'))
  const sockets = trackSockets(server)
  const target = `${LISTED}:${await listenOnFreePort(server)}`
  const session = await http2Through({ ...world, target })
  const settings = once(session, 'remoteSettings')
  expect((await askHttp2(session, { path: '/x', body: '{}' })).status).toBe(200)
  await settings
  expect(session.remoteSettings).toMatchObject({
    enablePush: false,
    enableConnectProtocol: true,
    maxConcurrentStreams: 100,
    maxHeaderListSize: 65_536,
  })
  expect(sockets.open.size).toBe(1)
  const [open] = sockets.open
  const closed = once(open as Socket, 'close')
  session.destroy()
  await closed
  expect((await world.event('traffic')).durationMs).toBeLessThan(60_000)
  await sockets.close()
})

it('a host that does not answer in time is a 502', async () => {
  await using world = await startWorld({ limits: { replyMs: 200 } })
  world.upstream.replyWith(() => new Promise(() => {}))
  for (const client of ['http/1.1', 'h2'] as const) {
    const reply = await ask(world, client, { path: '/v1/chat/completions', body: '{}' })
    expect([reply.status, JSON.parse(reply.body.toString()).error.message]).toEqual([
      502,
      'the upstream did not answer in time',
    ])
  }
})

it('a stream without bytes ends at its limit, on both sides', async () => {
  await using world = await startWorld({ limits: { idleMs: 300 } })
  world.upstream.replyWith({ body: ['x', new Promise(() => {})] })
  await expect(ask(world, 'h2', { path: '/v1/x', body: '{}' })).rejects.toThrow()
  expect(await world.upstream.requests[0]?.outcome).toBe('aborted')
  expect(await world.event('traffic')).toMatchObject({ outcome: 'failed', code: 'idle_timeout' })
})

it('a slow reader holds the host back, and a reset of one stream leaves the others alone', async () => {
  await using world = await startWorld({ protocol: 'h2' })
  let written = 0
  const chunk = Buffer.alloc(64 * 1024)
  world.upstream.enqueue({
    body: (function* () {
      for (; written < 200 * 1024 * 1024; written += chunk.length) yield chunk
    })(),
  })
  const session = await http2Through(world)
  const slow = session.request({ ':path': '/v1/slow' })
  slow.on('error', () => {})
  await once(slow, 'response')
  slow.pause()
  for (let index = 0; index < 20; index += 1) {
    expect((await askHttp2(session, { path: '/v1/quick', body: '{}' })).status).toBe(200)
  }
  expect(written).toBeLessThan(50 * 1024 * 1024)
  slow.close(constants.NGHTTP2_CANCEL)
  expect(await world.upstream.requests[0]?.outcome).toBe('aborted')
  expect((await askHttp2(session, { path: '/v1/quick', body: '{}' })).status).toBe(200)
  session.destroy()
})

it('a close with time lets running requests end, and takes no new connection', async () => {
  await using world = await startWorld()
  const gate = createDeferred<void>()
  world.upstream.replyWith({ body: ['begun ', gate.promise, 'ended'] })
  const asked = ask(world, 'h2', { path: '/v1/x', body: '{}' })
  await world.upstream.request(0)
  const closed = world.proxy.close({ graceMs: 60_000 })
  gate.resolve()
  expect((await asked).body.toString()).toBe('begun ended')
  await closed
  await expect(ask(world, 'http/1.1', { path: '/x' })).rejects.toThrow()
})
