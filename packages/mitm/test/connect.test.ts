import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { startMitmProxy } from '@svc/mitm'
import { listenOnFreePort } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { ask, connectThrough, LISTED, OTHER, startWorld, tlsThrough } from './world.ts'

/** The answer to raw bytes. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (part) => {
    answer += part
  })
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

it.each([
  ['GET http://host.example/ HTTP/1.1\r\nhost: host.example\r\n\r\n', 405],
  ['POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}', 405],
  ['OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ['GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 405],
  ['nonsense\r\n\r\n', 400],
  ['\u0016\u0003\u0001\u0002\u0000', 400],
  [`CONNECT host.example:443 HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 400],
])('answers %j with %s', async (bytes, status) => {
  await using world = await startWorld()
  const answer = await exchange(world.proxy.port, bytes)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  if (status === 405) expect(answer.toLowerCase()).toContain('\r\nallow: connect\r\n')
  expect(world.events).toMatchObject([{ type: 'refused', status }])
})

it('refuses other requests in full, under the id of the client where it has one', async () => {
  await using world = await startWorld()
  const { port } = world.proxy
  const text = 'this proxy takes CONNECT requests only'
  for (const [line, id] of [
    ['x-correlation-id: abc-1\r\n', 'abc-1'],
    ['', '0'],
  ]) {
    const [head = '', body = ''] = (await exchange(port, `GET / HTTP/1.1\r\nhost: x\r\n${line}\r\n`)).split('\r\n\r\n')
    expect(JSON.parse(body)).toEqual({
      error: { type: 'invalid_request_error', message: text, code: 405, param: null },
      correlation_id: id,
    })
    expect(head.split('\r\n').filter((each) => !each.startsWith('Date:'))).toEqual([
      'HTTP/1.1 405 Method Not Allowed',
      'content-type: application/json',
      `content-length: ${body.length}`,
      `x-correlation-id: ${id}`,
      'allow: CONNECT',
      'connection: close',
    ])
  }
  expect(world.events).toEqual(
    [1, 2].map(() => ({ type: 'refused', status: 405, code: 'method_not_allowed', host: undefined })),
  )
  expect(world.proxy.counts).toMatchObject({ connects: 0, refused: 2, requests: 0, blocked: 0 })
})

it('refuses a CONNECT request in full', async () => {
  await using world = await startWorld()
  const refused = await exchange(world.proxy.port, 'CONNECT nowhere HTTP/1.1\r\nhost: x\r\n\r\n')
  const [head = '', body = ''] = refused.split('\r\n\r\n')
  expect(head.split('\r\n')).toEqual([
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json',
    `content-length: ${body.length}`,
    'x-correlation-id: 1',
    'connection: close',
  ])
  expect(JSON.parse(body).error.message).toBe('CONNECT needs a host and a port, such as host.example:443')
  expect(world.proxy.counts).toMatchObject({ connects: 1, refused: 1 })
})

it('refuses connections that have passed four servers, and those beyond its limit', async () => {
  await using world = await startWorld({ limits: { connections: 1 } })
  const target = `${OTHER}:${world.upstream.port}`
  const ask = (lines: string) => {
    const socket = connect(world.proxy.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: x\r\n${lines}\r\n`)
    return socket
  }
  const readStatus = async (socket: ReturnType<typeof ask>) => String((await once(socket, 'data'))[0]).slice(9, 12)
  for (const hops of [4, 5]) {
    const socket = ask(`x-svc-hop: ${hops}\r\n`)
    const closed = once(socket, 'close')
    expect(await readStatus(socket)).toBe('508')
    await closed
  }
  const open = ask('x-svc-hop: 3\r\n')
  expect(await readStatus(open)).toBe('200')
  const more = await connectThrough(world.proxy, target)
  expect([more.status, more.body]).toEqual([503, expect.stringContaining('the proxy has too many connections')])
  open.destroy()
  const end = await world.event('tunnel-end')
  expect(end.durationMs).toBeLessThan(60_000)
  expect((await connectThrough(world.proxy, target)).status).toBe(200)
  expect(world.events.filter(({ type }) => type === 'refused')).toEqual(
    [
      [508, 'proxy_loop'],
      [508, 'proxy_loop'],
      [503, 'mitm_connections_full'],
    ].map(([status, code]) => ({ type: 'refused', status, code, host: OTHER })),
  )
  expect(world.proxy.counts).toMatchObject({ connects: 5, refused: 3, tunnels: 1, intercepted: 0 })
})

it('closes all connections at once, or once their time is over', async () => {
  for (const graceMs of [undefined, 0, 50]) {
    await using world = await startWorld()
    const { socket } = await connectThrough(world.proxy, `${OTHER}:${world.upstream.port}`)
    const closed = once(socket.resume(), 'close')
    await world.proxy.close(graceMs === undefined ? undefined : { graceMs })
    await closed
    expect((await world.event('tunnel-end')).host).toBe(OTHER)
  }
})

it.each([
  'host.example',
  'host.example:0',
  'host.example:99999',
  'user@host.example:443',
  'host/x:443',
  ':443',
  '[fe80::1%25lo]:1',
])('refuses the target %j', async (target) => {
  await using world = await startWorld()
  expect((await connectThrough(world.proxy, target)).status).toBe(400)
})

it.each([
  '169.254.169.254:80',
  '[fe80::1]:443',
  '[::ffff:169.254.169.254]:80',
  '0xa9fea9fe:80',
  '100.100.100.200:80',
  '[fd00:ec2::254]:80',
])('does not connect to %s', async (target) => {
  await using world = await startWorld()
  const { status, body } = await connectThrough(world.proxy, target)
  expect([status, body]).toEqual(
    [403, expect.stringContaining('forbidden')].slice(0, 1).concat([expect.stringContaining('not allowed')]),
  )
})

it('does not connect to a name that leads to a forbidden address, listed or not', async () => {
  await using world = await startWorld({
    lookup: (_host, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ]),
  })
  expect((await connectThrough(world.proxy, `${OTHER}:${world.upstream.port}`)).status).toBe(403)
  expect((await connectThrough(world.proxy, world.target)).status).toBe(403)
  expect(world.upstream.connections).toBe(0)
})

it('does not connect to itself or to the servers that it is told of', async () => {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await using world = await startWorld({ ownListeners: () => [{ address: '0.0.0.0', port }] })
  for (const host of ['127.0.0.1', '127.1', 'localhost.example', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
    for (const own of [port, world.proxy.port]) {
      expect([host, (await connectThrough(world.proxy, `${host}:${own}`)).status]).toEqual([host, 403])
    }
  }
  server.close()
})

it('refuses a connection that has passed too many servers', async () => {
  await using world = await startWorld()
  const { status } = await connectThrough(world.proxy, world.target, { 'x-svc-hop': '4' })
  expect(status).toBe(508)
  const relayed = await ask(world, 'http/1.1', { path: '/v1/models', method: 'GET', headers: { 'x-svc-hop': '2' } })
  expect([relayed.status, world.upstream.requests[0]?.header('x-svc-hop')]).toEqual([200, ['3']])
  const refused = await ask(world, 'h2', { path: '/v1/models', method: 'GET', headers: { 'x-svc-hop': '4' } })
  expect([refused.status, world.upstream.requests.length]).toEqual([508, 1])
})

it('answers 502 for a host that cannot be reached', async () => {
  await using world = await startWorld({ listed: [LISTED, 'unknown.invalid'] })
  expect((await connectThrough(world.proxy, 'other.invalid:443')).status).toBe(502)
  const closed = createServer()
  const port = await listenOnFreePort(closed)
  closed.close()
  expect((await connectThrough(world.proxy, `127.0.0.1:${port}`)).status).toBe(502)
})

it('answers 503 above the limit of connections, until one ends', async () => {
  await using world = await startWorld({ limits: { connections: 2 } })
  const first = await connectThrough(world.proxy, `${OTHER}:${world.upstream.port}`)
  const second = await connectThrough(world.proxy, world.target)
  expect([first.status, second.status]).toEqual([200, 200])
  const third = await connectThrough(world.proxy, world.target)
  expect([third.status, third.body]).toEqual([503, expect.stringContaining('too many connections')])
  first.socket.destroy()
  await world.event('tunnel-end')
  expect((await connectThrough(world.proxy, world.target)).status).toBe(200)
})

it('intercepts a listed host on every port and in every spelling', async () => {
  await using world = await startWorld()
  for (const host of [LISTED.toUpperCase(), `${LISTED}.`]) {
    const { status, socket } = await connectThrough(world.proxy, `${host}:${world.upstream.port}`)
    expect(status).toBe(200)
    socket.destroy()
  }
  expect(world.events.filter(({ type }) => type === 'connect')).toMatchObject([
    { intercepted: true, host: LISTED },
    { intercepted: true, host: LISTED },
  ])
})

it('reads a ClientHello that comes in the packet of CONNECT', async () => {
  await using world = await startWorld()
  const socket = connect(world.proxy.port, '127.0.0.1')
  const hello = Buffer.from('16030100050100000100', 'hex')
  socket.write(Buffer.concat([Buffer.from(`CONNECT ${world.target} HTTP/1.1\r\nhost: x\r\n\r\n`), hello]))
  await world.event('handshake-failed')
  expect(world.events).toMatchObject([{ type: 'connect' }, { type: 'handshake-failed', reason: 'refused' }])
})

it('ends a handshake that takes too long, and reports a client without trust', async () => {
  await using world = await startWorld({ limits: { handshakeMs: 300 } })
  const { socket } = await connectThrough(world.proxy, world.target)
  await once(socket, 'close')
  expect(await world.event('handshake-failed')).toMatchObject({ reason: 'timeout' })
  expect(world.proxy.counts.intercepted).toBe(0)
  await using patient = await startWorld()
  await expect(tlsThrough(patient.proxy, patient.target, { ca: world.upstreamCa.cert })).rejects.toThrow()
  expect(await patient.event('handshake-failed')).toMatchObject({ reason: 'refused' })
})

it('names connections apart whose hosts are looked up at the same time', async () => {
  const callbacks: (() => void)[] = []
  await using world = await startWorld({
    lookup(_host, _options, callback) {
      callbacks.push(() => callback(null, [{ address: '127.0.0.1', family: 4 }]))
      if (callbacks.length === 3) for (const each of callbacks) each()
    },
  })
  const opened = await Promise.all([1, 2, 3].map(() => connectThrough(world.proxy, world.target)))
  await world.event('connect', 2)
  const ids = world.events.map((event) => event.type === 'connect' && event.connectionId)
  expect(new Set(ids).size).toBe(3)
  for (const { socket } of opened) socket.destroy()
})

it.each(['TLSv1.2', 'TLSv1.3'] as const)('speaks %s', async (maxVersion) => {
  await using world = await startWorld()
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate, maxVersion })
  expect(tls.getProtocol()).toBe(maxVersion)
})

it('reports an address in use, and leaves the other server alone', async () => {
  await using world = await startWorld()
  const { authority } = world
  const second = startMitmProxy({ authority, policy: { find: () => undefined }, port: world.proxy.port })
  await expect(second).rejects.toMatchObject({ kind: 'unavailable', code: 'mitm_listen_failed' })
  expect((await ask(world, 'http/1.1', { path: '/x', method: 'GET' })).status).toBe(200)
})

it('tells whether others may reach it', async () => {
  await using world = await startWorld()
  expect(world.proxy.isExposed).toBe(false)
  await using open = await startMitmProxy({
    authority: world.authority,
    policy: { find: () => undefined },
    address: '0.0.0.0',
  })
  expect(open.isExposed).toBe(true)
  await using near = await startMitmProxy({
    authority: world.authority,
    policy: { find: () => undefined },
    address: '127.1.2.3',
  })
  expect([near.address, near.isExposed]).toEqual(['127.1.2.3', false])
})
