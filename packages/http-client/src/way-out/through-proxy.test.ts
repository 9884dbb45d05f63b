import { once } from 'node:events'
import { createServer, get as startHttp } from 'node:http'
import { get as startHttps } from 'node:https'
import { createServer as createTcp, isIP, type LookupFunction } from 'node:net'
import { inspect } from 'node:util'
import { createTestCa, listenOnFreePort, startForwardProxy, startUpstream, trackSockets } from '@svc/test-kit'
import { describe, expect, it, vi } from 'vitest'
import { createHttpUpstream, type HttpUpstreamOptions } from '../client.ts'
import { createTrust } from '../trust-store.ts'
import { readForwardProxy } from './forward-proxy.ts'
import { openTunnel } from './tunnel.ts'
import { TunnelAgent } from './tunnel-agent.ts'
import { createWayOut } from './way-out.ts'

const signal = new AbortController().signal
const ca = createTestCa()

const findNothing: LookupFunction = (_host, _options, callback) =>
  callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '')

/** A look-up that gives every name the same addresses, and counts. */
function leadTo(...addresses: readonly string[]) {
  return vi.fn<LookupFunction>((_host, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all === true) callback(null, found)
    else callback(null, addresses[0] ?? '', found[0]?.family)
  })
}

const wayThrough = (url: string, lookup: LookupFunction = findNothing) =>
  createWayOut(() => ({ https: url, http: url }), { lookup })

/** A client whose requests all go through a proxy. */
function open(url: string, options: HttpUpstreamOptions = {}, lookup?: LookupFunction) {
  return createHttpUpstream({ ca: ca.cert, wayOut: wayThrough(url, lookup), ...options })
}

async function fetchText(url: string, upstream: ReturnType<typeof open>): Promise<string> {
  const reply = await upstream.send({ method: 'GET', url: new URL(url), headers: [] }, { signal })
  const pieces: Uint8Array[] = []
  for await (const piece of reply.body) pieces.push(piece)
  return `${reply.status} ${Buffer.concat(pieces).toString()}`
}

async function startPlain() {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.host} ${request.headers['proxy-authorization']}`)
    response.end('plain')
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { seen, port, [Symbol.asyncDispose]: sockets.close }
}

const startSecure = () => startUpstream({ protocol: 'https', hosts: ['api.example'], ca })

describe.each([
  ['over TCP', undefined],
  ['over TLS', ca.issue(['127.0.0.1'])],
])('a proxy %s', (_how, tls) => {
  it('gives a tunnel for https, in which the name of the upstream is checked', async () => {
    await using proxy = await startForwardProxy({ tls })
    await using server = await startSecure()
    server.replyWith({ body: 'hello' })
    await using upstream = open(proxy.url)
    expect(await fetchText(`https://api.example:${server.port}/a`, upstream)).toBe('200 hello')
    expect(await fetchText(`https://api.example:${server.port}/b`, upstream)).toBe('200 hello')
    expect(proxy.requests).toEqual([
      { method: 'CONNECT', target: `api.example:${server.port}`, authorization: undefined },
    ])
    await expect(fetchText(`https://other.example:${server.port}/`, upstream)).rejects.toMatchObject({
      details: { reason: 'tls' },
    })
  })

  it('is asked for the whole URL of plain http, and keeps its credentials to itself', async () => {
    await using proxy = await startForwardProxy({ tls, credentials: 'me:secret' })
    await using server = await startPlain()
    await using upstream = open(proxy.url.replace('://', '://me:secret@'))
    for (const path of ['a?b=c', 'd']) {
      expect(await fetchText(`http://api.example:${server.port}/${path}`, upstream)).toBe('200 plain')
    }
    expect(proxy.requests.map(({ target }) => target)).toEqual([
      `http://api.example:${server.port}/a?b=c`,
      `http://api.example:${server.port}/d`,
    ])
    expect(server.seen).toEqual([
      `/a?b=c api.example:${server.port} undefined`,
      `/d api.example:${server.port} undefined`,
    ])
  })
})

it('a proxy gets the length of a body in its usual spelling: some add a second one where they do not find it', async () => {
  const seen: (readonly string[])[] = []
  const server = createServer((request, response) => {
    seen.push(request.rawHeaders)
    request.resume().on('end', () => response.end('ok'))
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  await using upstream = open(`http://127.0.0.1:${port}`)
  const url = new URL('http://api.example/a')
  await upstream.send({ method: 'POST', url, headers: [], body: Buffer.from('four') }, { signal })
  expect(seen[0]?.slice(-2)).toEqual(['Content-Length', '4'])
  await sockets.close()
})

describe('a proxy that gives no connection', () => {
  it.each([
    ['asks for credentials', { credentials: 'me:secret' }, 'proxy_credentials'],
    ['answers 407', { answer: 'HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n' }, 'proxy_credentials'],
  ])('%s is named as the cause, for both schemes', async (_what, options, reason) => {
    await using proxy = await startForwardProxy(options)
    await using upstream = open(`http://me:wrong-password@127.0.0.1:${proxy.port}`)
    for (const url of ['https://api.example/', 'http://api.example/']) {
      const failure: unknown = await fetchText(url, upstream).catch((error: unknown) => error)
      expect(failure).toMatchObject({ kind: 'upstream_failed', details: { reason } })
      const shown = inspect(failure, { depth: 10 })
      expect(shown).not.toContain('wrong-password')
      expect(shown).not.toContain(Buffer.from('me:wrong-password').toString('base64'))
    }
  })

  it.each([
    ['refuses', { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n<html>no</html>' }, 'proxy_refused'],
    ['finds no host', { answer: 'HTTP/1.0 502 Bad Gateway\r\n\r\n' }, 'proxy_refused'],
    ['redirects', { answer: 'HTTP/1.1 302 Found\r\nlocation: http://evil/\r\n\r\n' }, 'proxy_refused'],
    ['changes the protocol', { answer: 'HTTP/1.1 101 Switching\r\n\r\n' }, 'proxy_refused'],
    ['speaks no HTTP', { answer: 'SSH-2.0-x\r\n\r\n' }, 'proxy_refused'],
    ['sends a head without an end', { answer: `HTTP/1.1 200 ${'x'.repeat(20_000)}` }, 'proxy_refused'],
    ['sends interim replies without an end', { answer: 'HTTP/1.1 100 Go\r\n\r\n'.repeat(100) }, 'proxy_refused'],
    ['closes in the middle of its answer', { answer: 'HTTP/1.1 200 Conn' }, 'proxy_lost'],
    ['closes without an answer', { answer: '' }, 'proxy_lost'],
  ])('%s: the tunnel fails with the cause', async (_what, options, reason) => {
    await using proxy = await startForwardProxy(options)
    await using upstream = open(proxy.url)
    await expect(fetchText('https://api.example/', upstream)).rejects.toMatchObject({ details: { reason } })
    expect(upstream.counts).toEqual({ open: 0, waiting: 0, running: 0 })
  })

  it('is silent: the time for connecting ends the request and the connection', async () => {
    await using proxy = await startForwardProxy({ isSilent: true })
    await using upstream = open(proxy.url, { connectMs: 100 })
    await expect(fetchText('https://api.example/', upstream)).rejects.toMatchObject({ kind: 'timeout' })
    await expect.poll(() => upstream.counts).toEqual({ open: 0, waiting: 0, running: 0 })
  })

  it('is not there', async () => {
    const proxy = await startForwardProxy()
    await proxy.close()
    await using upstream = open(proxy.url)
    for (const url of ['https://api.example/', 'http://api.example/']) {
      await expect(fetchText(url, upstream)).rejects.toMatchObject({ details: { reason: 'connection_refused' } })
    }
  })

  it('leaves a tunnel that is aborted at once', async () => {
    await using silent = await startForwardProxy({ isSilent: true })
    const stop = new AbortController()
    const proxy = readForwardProxy(silent.url)
    if (proxy === undefined) throw new Error('no proxy')
    const tunnel = openTunnel(proxy, { host: 'api.example', port: 443 }, { signal: stop.signal })
    await expect.poll(() => silent.requests.length).toBe(1)
    stop.abort(new Error('stopped'))
    await expect(tunnel).rejects.toThrow('stopped')
  })
})

it('bytes that a destination sends first come behind the answer of the proxy', async () => {
  await using greeting = await startForwardProxy({ answer: 'HTTP/1.1 200 OK\r\n\r\nhello' })
  const proxy = readForwardProxy(greeting.url)
  if (proxy === undefined) throw new Error('no proxy')
  const socket = await openTunnel(proxy, { host: 'api.example', port: 25 })
  const first = once(socket, 'data')
  socket.resume()
  expect(String((await first)[0])).toBe('hello')
  socket.destroy()
})

// verifies service:way-out:this-machine
describe('a name that leads to this machine alone', () => {
  it.each([['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['::ffff:127.0.0.1'], ['0.0.0.0']])(
    'is reached past the proxy: %s',
    async (...addresses) => {
      await using proxy = await startForwardProxy()
      await using secure = await startSecure()
      await using plain = await startPlain()
      secure.replyWith({ body: 'secure' })
      const lookup = leadTo(...addresses)
      await using upstream = open(proxy.url, {}, lookup)
      expect(await fetchText(`http://api.example:${plain.port}/a`, upstream)).toBe('200 plain')
      expect(await fetchText(`https://api.example:${secure.port}/`, upstream)).toBe('200 secure')
      expect(proxy.requests).toEqual([])
      expect(plain.seen).toEqual([`/a api.example:${plain.port} undefined`])
      expect(lookup, 'the connections go to the addresses that were found').toHaveBeenCalledTimes(2)
    },
  )

  it.each([
    ['that leads elsewhere', leadTo('93.184.216.34')],
    ['that leads elsewhere too', leadTo('127.0.0.1', '10.0.0.1')],
    ['in a private network', leadTo('10.0.0.1')],
    ['with an address of the own link', leadTo('fe80::1')],
    ['without an address', findNothing],
  ])('is not one %s', async (_what, lookup) => {
    await using proxy = await startForwardProxy()
    await using secure = await startSecure()
    await using plain = await startPlain()
    secure.replyWith({ body: 'secure' })
    await using upstream = open(proxy.url, {}, lookup)
    expect(await fetchText(`http://api.example:${plain.port}/a`, upstream)).toBe('200 plain')
    expect(await fetchText(`https://api.example:${secure.port}/`, upstream)).toBe('200 secure')
    expect(proxy.requests.map(({ method }) => method)).toEqual(['GET', 'CONNECT'])
  })

  it('is not looked for where there is no proxy, nor for addresses', async () => {
    await using plain = await startPlain()
    const lookup = leadTo('127.0.0.1')
    await using direct = open('', { lookup: leadTo('127.0.0.1') }, lookup)
    expect(await fetchText(`http://api.example:${plain.port}/`, direct)).toBe('200 plain')
    await using proxy = await startForwardProxy()
    await using upstream = open(proxy.url, {}, lookup)
    expect(await fetchText(`http://10.0.0.1:${plain.port}/`, upstream)).toBe('200 plain')
    expect(lookup).not.toHaveBeenCalled()
  })

  it.each(['http', 'https'])(
    'is looked for within the limit for connecting, and until the caller leaves: %s',
    async (scheme) => {
      await using proxy = await startForwardProxy()
      await using upstream = open(proxy.url, { connectMs: 50 }, () => {})
      const url = new URL(`${scheme}://api.example/`)
      await expect(fetchText(url.href, upstream)).rejects.toMatchObject({ kind: 'timeout' })
      await expect.poll(() => upstream.counts).toEqual({ open: 0, waiting: 0, running: 0 })
      const leaving = new AbortController()
      const sending = upstream.send({ method: 'GET', url, headers: [] }, { signal: leaving.signal })
      leaving.abort()
      await expect(sending).rejects.toMatchObject({ kind: 'cancelled' })
      expect(proxy.requests).toEqual([])
    },
  )
})

describe.each([true, false])('the agent of node:http, with TLS %s', (isTls) => {
  const startGet = isTls ? startHttps : startHttp
  const trust = createTrust(ca.cert)

  it.each([
    ['through the proxy', findNothing, 1],
    ['past it to this machine', leadTo('127.0.0.1'), 0],
  ])('sends requests %s', async (_what, lookup, proxied) => {
    await using server = await startForwardProxy()
    await using secure = await startSecure()
    await using plain = await startPlain()
    secure.replyWith({ body: 'plain' })
    const agent = new TunnelAgent({ wayOut: wayThrough(server.url, lookup), isTls, trust })
    const port = isTls ? secure.port : plain.port
    const [reply] = await once(startGet({ agent, host: 'api.example', port, path: '/' }), 'response')
    expect(String((await once(reply, 'data'))[0])).toBe('plain')
    const tunnel = { method: 'CONNECT', target: `api.example:${port}` }
    expect(server.requests).toMatchObject(Array.from({ length: proxied }, () => tunnel))
    agent.destroy()
  })

  it.each([
    ['the look-up', '', () => {}],
    ['the proxy', '', findNothing],
    ...(isTls ? [['TLS', 'HTTP/1.1 200 OK\r\n\r\n', findNothing] as const] : []),
  ] as const)('has one limit for connecting, and ends with its signal: %s is silent', async (_what, answer, lookup) => {
    const server = createTcp((socket) => socket.on('error', () => {}).once('data', () => socket.write(answer)))
    const sockets = trackSockets(server)
    const wayOut = wayThrough(`http://127.0.0.1:${await listenOnFreePort(server)}`, lookup)
    const stop = new AbortController()
    for (const limit of [{ connectMs: 50 }, { signal: stop.signal }]) {
      const request = startGet({
        agent: new TunnelAgent({ wayOut, isTls, trust, ...limit }),
        host: 'api.example',
        path: '/',
      })
      const failed = once(request, 'error')
      if ('signal' in limit) stop.abort(new DOMException('left', 'TimeoutError'))
      expect((await failed)[0]).toMatchObject({ name: 'TimeoutError' })
    }
    await expect.poll(() => new Promise((resolve) => server.getConnections((_error, open) => resolve(open)))).toBe(0)
    await sockets.close()
  })
})
