import { once } from 'node:events'
import { connect as connectH2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createDeferred } from './deferred.ts'
import { readSse } from './read-sse.ts'
import { startUpstream } from './upstream.ts'

describe('recording', () => {
  it('keeps method, path, headers and body exactly as they came', async () => {
    await using upstream = await startUpstream()
    const socket = connect(upstream.port, '127.0.0.1')
    socket.write(
      'PUT /a%2Fb//c?x=%zz HTTP/1.1\r\nHost: h\r\nX-Twice: 1\r\nx-twice: 2\r\ntransfer-encoding: chunked\r\n\r\n' +
        '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n',
    )
    const request = await upstream.request(0)
    expect(request).toMatchObject({ method: 'PUT', path: '/a%2Fb//c?x=%zz', httpVersion: '1.1' })
    expect(request.headers).toEqual([
      ['Host', 'h'],
      ['X-Twice', '1'],
      ['x-twice', '2'],
      ['transfer-encoding', 'chunked'],
    ])
    expect(request.header('X-TWICE')).toEqual(['1', '2'])
    expect(request.text()).toBe('{"a":1}')
    expect(await request.outcome).toBe('finished')
    socket.destroy()
  })

  it('lists requests in the order they came and counts connections', async () => {
    await using upstream = await startUpstream()
    const second = upstream.request(1)
    const socket = connect(upstream.port, '127.0.0.1')
    socket.write('GET /1 HTTP/1.1\r\nhost: h\r\n\r\nPOST /2 HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n')
    socket.write(Buffer.of(0, 255))
    expect((await second).body).toEqual(Buffer.of(0, 255))
    expect(upstream.requests.map((request) => request.path)).toEqual(['/1', '/2'])
    expect(upstream.connections).toBe(1)
    socket.destroy()
  })
})

describe('replies', () => {
  it('come from the queue first, then from the standing script', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ status: 429, headers: { 'retry-after': '7' } }, { status: 503 })
    upstream.replyWith((request) => ({ body: `echo ${request.text()}` }))
    const ask = () => fetch(upstream.origin, { method: 'POST', body: 'x' })
    const first = await ask()
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7'])
    expect((await ask()).status).toBe(503)
    expect(await (await ask()).text()).toBe('echo x')
  })

  it('wait at gates, after sending the steps before', async () => {
    await using upstream = await startUpstream()
    const gate = createDeferred()
    upstream.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: ['data: 1\n\n', gate.promise, 'data: 2\n\n'],
    })
    const events = readSse(await fetch(upstream.origin))
    expect((await events.next()).value).toEqual({ data: '1' })
    gate.resolve()
    expect((await events.next()).value).toEqual({ data: '2' })
  })

  it('can be cut in the middle', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ body: ['some'], end: 'cut' })
    await expect(fetch(upstream.origin).then((reply) => reply.text())).rejects.toThrow()
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })

  it('notice a client that leaves before a gate opens', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ body: ['a', new Promise(() => {})] })
    const leaving = new AbortController()
    const reply = await fetch(upstream.origin, { signal: leaving.signal })
    leaving.abort()
    await expect(reply.text()).rejects.toThrow()
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })

  it('are abandoned when the upstream closes', async () => {
    const upstream = await startUpstream()
    upstream.enqueue({ body: ['a', new Promise(() => {})] })
    const reply = await fetch(upstream.origin)
    await upstream.close()
    await expect(reply.text()).rejects.toThrow()
  })
})

describe('over TLS', () => {
  it('speaks HTTP/1.1 with a certificate of its own authority', async () => {
    await using upstream = await startUpstream({ protocol: 'https', hosts: ['api.example.com'] })
    expect(upstream.origin).toBe(`https://api.example.com:${upstream.port}`)
    const request = httpsRequest({
      host: '127.0.0.1',
      port: upstream.port,
      servername: 'api.example.com',
      ca: upstream.caCert,
      agent: false,
    })
    request.end()
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(200)
    response.resume()
    expect((await upstream.request(0)).httpVersion).toBe('1.1')
  })

  it('speaks HTTP/2, gates and cuts included', async () => {
    await using upstream = await startUpstream({ protocol: 'h2' })
    const session = connectH2(upstream.origin, { ca: upstream.caCert })
    const gate = createDeferred()
    upstream.enqueue({ body: ['a', gate.promise, 'b'] }, { body: ['a'], end: 'cut' })
    const whole = session.request({ ':method': 'POST', ':path': '/x?y', 'x-a': '1' })
    whole.end('body')
    expect(String((await once(whole, 'data'))[0])).toBe('a')
    gate.resolve()
    expect(String((await once(whole, 'data'))[0])).toBe('b')
    const seen = await upstream.request(0)
    expect(seen).toMatchObject({ method: 'POST', path: '/x?y', httpVersion: '2.0' })
    expect(seen.headers).toContainEqual([':method', 'POST'])
    expect(seen.text()).toBe('body')
    expect(await seen.outcome).toBe('finished')

    const broken = session.request({ ':path': '/cut' })
    broken.resume()
    await expect(once(broken, 'close')).rejects.toThrow('INTERNAL_ERROR')
    expect(await (await upstream.request(1)).outcome).toBe('aborted')
    session.destroy()
  })
})
